import { resolveOptions } from '../base/mock-options.js';
import { assumptionsOf } from '../platform/assumptions.js';
import type { EvidenceRow } from '../platform/platform.js';
import {
  exchangeProbes,
  lagQuestion,
  observeLag,
  type ExchangeProbe,
  type Observation,
  type Question,
} from './probes.js';
import { fieldsOf, isSuccess, itemsOf, timeOf, type ObservedExchange } from './observed-exchange.js';

/** What was observed about a question, in the exchange with a request id of the log. */
export interface Finding {
  readonly question: Question;
  readonly observation: Observation;
  readonly requestId: string;
}

/** A payment that was created, until a list shows it. */
interface Created {
  /** When its creation was known, in milliseconds since the epoch. */
  readonly knownAt: number;
  readonly createdAt: number;
  wasMissing: boolean;
}

/** The most created payments that wait for a list. */
const maxCreated = 1000;

/** What the exchanges with a platform show about its assumptions. */
export class Evidence {
  readonly #findings = new Map<string, Finding>();
  readonly #created = new Map<unknown, Created>();
  #lag = 0;

  /** The findings, one for each question. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** Adds an exchange. Returns whether a verdict changed. */
  add(exchange: ObservedExchange, requestId: string): boolean {
    const before = this.#verdicts();
    for (const probe of Object.values<ExchangeProbe>(exchangeProbes)) this.#add(probe, probe.look(exchange), requestId);
    this.#add(lagQuestion, this.#observeLag(exchange), requestId);
    return this.#verdicts() !== before;
  }

  #verdicts(): string {
    return JSON.stringify(this.findings.map(({ question, observation: { value } }) => [question.key, value]));
  }

  /** Keeps the last finding; one that contradicts the assumption is kept, because others are samples. */
  #add(question: Question, observation: Observation | string, requestId: string): void {
    if (typeof observation === 'string') return;
    const before = this.#findings.get(question.key)?.observation;
    if (before !== undefined && before.value !== question.assumed && observation.value === question.assumed) return;
    const measured = { ...before?.measured, ...observation.measured };
    const settings = observation.measured === undefined ? {} : { measured };
    this.#findings.set(question.key, { question, observation: { ...observation, ...settings }, requestId });
  }

  /** Compares a list with the payments that were created before it was requested. */
  #observeLag(exchange: ObservedExchange): Observation | string {
    const { endpoint, body, filters = {}, sentAt = 0, endedAt = 0 } = exchange;
    const { id, createdAt, nextCursor } = fieldsOf(body);
    if (!isSuccess(exchange)) return 'no list';
    if (endpoint === 'payments.create' && this.#created.size < maxCreated)
      this.#created.set(id, { knownAt: endedAt, createdAt: timeOf(createdAt) ?? Number.NaN, wasMissing: false });
    if (endpoint !== 'payments.list' || filters['cursor'] !== undefined || filters['status'] !== undefined)
      return 'no list';
    const items = itemsOf(exchange);
    const [from = -Infinity, to = Infinity] = ['createdFrom', 'createdTo'].map((name) => timeOf(filters[name]));
    const times = items.map((each) => timeOf(each['createdAt']) ?? Number.NaN);
    const isNewestFirst =
      times.length > 1 && times.every((time, index) => index === 0 || time <= Number(times[index - 1]));
    // A page that is not the last one shows the payments down to its oldest one, if it begins with the newest.
    const oldest = typeof nextCursor !== 'string' ? 0 : isNewestFirst ? Math.min(...times) : Infinity;
    const lags: number[] = [];
    for (const [created, { knownAt, createdAt: at, wasMissing }] of this.#created) {
      const isListed = items.some((item) => item['id'] === created);
      if (sentAt < knownAt || (!isListed && !(at > from && at < to && at > oldest))) continue;
      const lag = Math.max(1, Math.ceil((endedAt - knownAt) / 1000));
      lags.push(isListed && !wasMissing ? 0 : lag);
      if (isListed) this.#created.delete(created);
      else this.#created.set(created, { knownAt, createdAt: at, wasMissing: true });
    }
    if (lags.length === 0) return 'no payment to look for';
    this.#lag = Math.max(this.#lag, ...lags);
    return observeLag(this.#lag);
  }
}

/** Returns a row for each question of docs/assumptions.md, also of those that no exchange has shown. */
export function rowsOf({ findings }: Evidence): EvidenceRow[] {
  const assumed = assumptionsOf(resolveOptions({})).map(({ id, question }) => `${id}: ${question}`);
  const keys = new Set([...assumed, ...Object.values(exchangeProbes).map(({ key }) => key)]);
  const rows = [...keys].map((key): EvidenceRow => {
    const found = findings.find(({ question }) => question.key === key);
    if (found === undefined) return { key, verdict: 'not seen', evidence: null, meaning: null, requestId: null };
    const { question, observation, requestId } = found;
    const isConfirmed = observation.value === question.assumed;
    const meaning = isConfirmed ? null : (observation.meaning ?? question.meaning ?? null);
    const { evidence } = observation;
    return { key, verdict: isConfirmed ? 'confirmed' : 'contradicted', evidence, meaning, requestId };
  });
  const order = ['contradicted', 'confirmed', 'not seen'];
  return rows.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
}
