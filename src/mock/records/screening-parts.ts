import type {
  ScreeningDisposition, ScreeningMatch, ScreeningQuery, ScreeningRun, ScreeningSubject,
} from '../../contract/screening.js';
import { personName, type PersonName } from '../names.js';
import type { Random } from '../random.js';
import { given, secondsAfter, type Partially } from './input.js';

const days = 86_400;
const dataVersion = (timestamp: string): string => timestamp.slice(0, 10).replaceAll('-', '');

/** Who a person is. */
export interface PersonOutline {
  readonly id: string;
  readonly name: PersonName;
  readonly countryCode: string;
  readonly at: string;
}

/** A query as it is put to the screening. */
export function screeningQuery({ name, countryCode, at }: PersonOutline, random: Random, input: Partially<ScreeningQuery> = {}): ScreeningQuery {
  return {
    properties: [
      { label: 'Name', key: 'name', values: [`${name.first} ${name.last}`] },
      { label: 'Date of birth', key: 'birthDate', values: [`${random.whole(1955, 1999)}-0${random.whole(1, 9)}-1${random.whole(0, 9)}`] },
      { label: 'Country', key: 'country', values: [countryCode.toLowerCase()] },
    ],
    algorithm: 'logic-v1',
    threshold: '0.70',
    topicsScope: ['sanction', 'role.pep', 'crime'],
    datasetScope: 'default',
    dataVersion: dataVersion(at),
    ...given(input),
  };
}

/** An open match. */
export function screeningMatch({ name, countryCode, at }: PersonOutline, random: Random, input: Partially<ScreeningMatch> = {}): ScreeningMatch {
  const candidate = `${personName(random).first} ${name.last}`;
  const score = `0.${random.whole(70, 89)}`;
  return {
    matchId: `mat_${random.letters(16)}`,
    osEntityId: `Q${random.digits(7)}`,
    caption: candidate,
    schema: 'Person',
    score,
    isMatch: false,
    topics: ['role.pep'],
    datasets: ['wd_peps'],
    aliases: [candidate, `${name.last}, ${candidate.split(' ')[0]}`],
    features: [
      { key: 'name_match', label: 'Name', score, matchedValue: `${name.first} ${name.last}`, candidateValue: candidate, note: 'Last names are equal' },
      { key: 'country_match', label: 'Country', score: '1.00', matchedValue: countryCode, candidateValue: countryCode, note: '' },
    ],
    evidence: [
      { label: 'Position', values: ['Member of a provincial assembly'], fullWidth: false },
      { label: 'Summary', values: [`${candidate} held office from 2008 to 2014.`], fullWidth: true },
    ],
    disposition: null,
    createdAt: at,
    ...given(input),
  };
}

/** A match that a reviewer cleared. */
export function screeningDisposition({ at }: PersonOutline, random: Random, input: Partially<ScreeningDisposition> = {}): ScreeningDisposition {
  const reviewer = personName(random);
  return {
    id: `dis_${random.letters(16)}`,
    osEntityId: `Q${random.digits(7)}`,
    reason: 'Date of birth differs',
    reviewedByUserId: `usr_${random.letters(16)}`,
    reviewedByDisplayName: `${reviewer.first} ${reviewer.last}`,
    reviewedAt: secondsAfter(at, -60 * days),
    topicsAtDecision: ['role.pep'],
    ...given(input),
  };
}

/** A run; the newest has the index 0, and each earlier one is a month older. */
export function screeningRun({ at }: PersonOutline, random: Random, index: number, matchCount: number, input: Partially<ScreeningRun> = {}): ScreeningRun {
  const createdAt = secondsAfter(at, -30 * days * index);
  return { screeningId: `scr_${random.letters(16)}`, matchCount, dataVersion: dataVersion(createdAt), createdAt, errorMessage: '', ...given(input) };
}

/** What follows from the matches. */
export function screeningSubject(
  { id, name, at }: PersonOutline,
  random: Random,
  matches: readonly ScreeningMatch[],
  input: Partially<ScreeningSubject> = {},
): ScreeningSubject {
  return {
    subjectId: `sub_${random.letters(16)}`,
    entityId: id,
    displayName: `${name.first} ${name.last}`,
    customerId: '',
    customerName: '',
    beneficiaryId: '',
    paymentHold: matches.length > 0,
    onboardingBlocked: matches.some(({ isMatch }) => isMatch),
    openMatchCount: matches.length,
    lastScreenedAt: at,
    nextDueAt: secondsAfter(at, 30 * days),
    ...given(input),
  };
}
