import {
  personScreening,
  type ScreeningDisposition,
  type ScreeningMatch,
  type ScreeningSubject,
} from '../../contract/schema/screening.js';
import { MockPlatformError } from '../error.js';
import type { OrganizationState } from '../store/organization.js';
import type { StoredPerson } from '../store/records.js';
import { omitUndefined, requireConforming, timestampNow, unknownRecord, type PartialInput } from './builder.js';
import { requireValid } from '../require-valid.js';
import { personParts, requireNoCount, type MockPersonInput } from './person-input.js';
import { screeningDisposition, screeningMatch, type PersonSummary } from './screening-parts.js';
import { staffMember } from './staff.js';

/** Returns what new matches and dispositions of a person contain. */
function summaryOf(organization: OrganizationState, { id, customerId, screening }: StoredPerson): PersonSummary {
  const [first = '', ...rest] = screening.subject.displayName.split(' ');
  const at = timestampNow(organization);
  return {
    id,
    name: { first, last: rest.join(' ') },
    countryCode: organization.customers.get(customerId)?.record.countryOfIncorporation.alpha2 ?? 'US',
    at,
    firstRun: at,
    reviewer: staffMember(organization, 'reviewer', organization.random(`persons/${id}/reviewer`, 1)),
  };
}

/** Returns the consequences of open matches. */
function consequencesOf(
  matches: readonly ScreeningMatch[],
): Pick<ScreeningSubject, 'openMatchCount' | 'paymentHold' | 'onboardingBlocked'> {
  return {
    openMatchCount: matches.length,
    paymentHold: matches.length > 0,
    onboardingBlocked: matches.some(({ isMatch }) => isMatch),
  };
}

/** Returns a person with other fields. Matches and dispositions with the id of a present one keep its other fields. */
export function changePerson(
  organization: OrganizationState,
  before: StoredPerson,
  input: MockPersonInput,
): StoredPerson {
  const call = 'persons.update';
  requireValid(call, personParts, input, 'the record');
  const { customerId = before.customerId, screening = {}, runs: _, ...unknown } = input;
  const [unknownField] = Object.keys(unknown);
  if (unknownField !== undefined)
    throw new MockPlatformError(`${call}: ${unknownField} is not a known field. Remove it.`);
  if (organization.customers.get(customerId) === undefined) unknownRecord(call, 'customerId', customerId);
  const { subject, query, openMatches, previouslyCleared, ...rest } = screening;
  requireNoCount(call, rest);
  const { screening: present } = before;
  const summary = summaryOf(organization, before);
  const random = organization.random(`persons/${before.id}/changes/${idsOf(present)}`, 0);
  const matches = openMatches?.map((match) => ({
    ...(present.openMatches.find(({ matchId }) => matchId === match.matchId) ?? screeningMatch(summary, random)),
    ...omitUndefined(match),
  }));
  const cleared = previouslyCleared?.map((disposition) => ({
    ...(present.previouslyCleared.find(({ id }) => id === disposition.id) ?? screeningDisposition(summary, random)),
    ...omitUndefined(disposition),
  }));
  const customerName = organization.customers.get(customerId)?.record.companyName ?? '';
  const changed = {
    ...present,
    ...omitUndefined(rest),
    subject: {
      ...present.subject,
      customerId,
      customerName,
      ...(matches !== undefined && consequencesOf(matches)),
      ...omitUndefined(subject ?? {}),
    },
    query: { ...present.query, ...omitUndefined(query ?? {}) },
    openMatches: matches ?? present.openMatches,
    previouslyCleared: cleared ?? present.previouslyCleared,
  };
  requireConforming(`${call}: screening`, personScreening, { ...changed, historyCount: 0 });
  return { id: before.id, customerId, screening: changed };
}

/** Returns the ids of all matches, from which the next ids are drawn: those drawn from their number would repeat. */
function idsOf({ openMatches, previouslyCleared }: StoredPerson['screening']): string {
  return [...openMatches.map(({ matchId }) => matchId), ...previouslyCleared.map(({ id }) => id)].join();
}

/** Returns a person without an open match, which a reviewer cleared. */
export function clearMatch(
  organization: OrganizationState,
  id: string,
  matchId: string,
  input: PartialInput<ScreeningDisposition> = {},
): StoredPerson {
  const call = 'persons.clearMatch';
  const before = organization.persons.get(id) ?? unknownRecord(call, 'id', id);
  const { openMatches, previouslyCleared } = before.screening;
  const cleared = openMatches.find((match) => match.matchId === matchId);
  if (cleared === undefined)
    throw new MockPlatformError(
      `${call}: ${JSON.stringify(matchId)} is not an open match of ${id} (open: ${openMatches.map((match) => match.matchId).join(', ') || 'none'}). Pass the matchId of an open match.`,
    );
  const random = organization.random(`persons/${id}/cleared/${idsOf(before.screening)}`, 0);
  const disposition = {
    ...screeningDisposition(summaryOf(organization, before), random),
    osEntityId: cleared.osEntityId,
    topicsAtDecision: cleared.topics,
    ...omitUndefined(input),
  };
  return changePerson(organization, before, {
    screening: {
      openMatches: openMatches.filter((match) => match !== cleared),
      previouslyCleared: [disposition, ...previouslyCleared],
    },
  });
}
