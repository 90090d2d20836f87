import { resolveOptions, type MeasuredPlatform } from '../base/mock-options.js';
import { assumptionsOf } from '../platform/assumptions.js';
import type { EvidenceRow } from '../platform/platform.js';
import {
  exchangeProbes,
  lagQuestion,
  observeLag,
  type ExchangeProbe,
  type Measured,
  type Observation,
  type Question,
} from './probes.js';
import { fieldsOf, isSuccess, itemsOf, timeOf, type ObservedExchange } from './observed-exchange.js';

/** What was observed about a question. */
interface Finding {
  readonly question: Question;
  readonly observation: Observation;
  /** The id, in the log, of the request that showed it; null for a probe of `corridor verify`. */
  readonly requestId: string | null;
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
  /** Why exchanges do not answer a question that they are about. */
  readonly #reasons = new Map<string, string>();
  readonly #created = new Map<unknown, Created>();
  #lag = 0;

  /** Returns what was observed about a question. */
  find({ key }: Question): Observation | undefined {
    return this.#findings.get(key)?.observation;
  }

  /** Adds the result of a probe of `corridor verify`, which takes precedence over those of exchanges. */
  conclude(question: Question, observation: Observation): void {
    this.#findings.set(question.key, { question, observation, requestId: null });
  }

  /** Adds an exchange, with its id in the log. */
  add(exchange: ObservedExchange, requestId = ''): void {
    for (const probe of Object.values<ExchangeProbe>(exchangeProbes)) this.#add(probe, probe.look(exchange), requestId);
    this.#add(lagQuestion, this.#observeLag(exchange), requestId);
  }

  /** Keeps the finding with the most weight; one that contradicts the assumption stays, because others are samples. */
  #add(question: Question, observation: Observation | string | undefined, requestId: string): void {
    const { key } = question;
    if (typeof observation === 'string') this.#reasons.set(key, observation);
    if (typeof observation !== 'object') return;
    const before = this.#findings.get(key);
    if (before?.requestId === null) return;
    const isOther = (each: Observation): boolean => each.value !== question.assumed;
    const { weight = 0 } = before?.observation ?? {};
    const isShown =
      before === undefined ||
      (isOther(observation) === isOther(before.observation)
        ? (observation.weight ?? 0) > weight
        : isOther(observation));
    if (!isShown && observation.measured === undefined) return;
    const finding = isShown ? { question, observation, requestId } : before;
    const measured = observation.measured && { ...before?.observation.measured, ...observation.measured };
    this.#findings.set(key, { ...finding, observation: { ...finding.observation, ...(measured && { measured }) } });
  }

  /** Compares a list with the payments that were created before it was requested. */
  #observeLag(exchange: ObservedExchange): Observation | undefined {
    const { endpoint, body, request } = exchange;
    const { id, createdAt, nextCursor } = fieldsOf(body);
    if (!isSuccess(exchange) || request === undefined) return undefined;
    const { filters, sentAt, endedAt } = request;
    if (endpoint === 'payments.create' && typeof id === 'string' && this.#created.size < maxCreated)
      this.#created.set(id, { knownAt: endedAt, createdAt: timeOf(createdAt) ?? Number.NaN, wasMissing: false });
    if (endpoint !== 'payments.list' || filters['cursor'] !== undefined || filters['status'] !== undefined)
      return undefined;
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
    if (lags.length === 0) return undefined;
    this.#lag = Math.max(this.#lag, ...lags);
    // A first read that came late does not reset a lag that was measured before.
    return { ...observeLag(this.#lag), ...(this.#lag === 0 && { measured: {} }) };
  }

  /** A row for each question of docs/assumptions.md; the evidence of one that was not seen is the reason, if any. */
  get rows(): EvidenceRow[] {
    return assumptionsOf(resolveOptions({})).map(({ id, question: text }): EvidenceRow => {
      const key = `${id}: ${text}`;
      const found = this.#findings.get(key);
      const reason = this.#reasons.get(key) ?? null;
      if (found === undefined)
        return { key, verdict: 'not seen', evidence: reason, meaning: null, requestId: null, measured: {} };
      const { question, observation, requestId } = found;
      const { value, evidence, meaning = question.meaning ?? null } = observation;
      const isConfirmed = value === question.assumed;
      const { measured = settingOf(question, isConfirmed ? undefined : value) } = observation;
      const verdict = isConfirmed ? 'confirmed' : 'contradicted';
      return { key, verdict, evidence, meaning: isConfirmed ? null : meaning, requestId, measured };
    });
  }
}

/** Returns the setting of a question; without the value if client and mock have no setting for it. */
function settingOf({ setting }: Question, value: unknown): Measured {
  if (setting === undefined) return {};
  try {
    resolveOptions({ platform: settingsWith({ [setting]: value }) });
    return { [setting]: value };
  } catch {
    return { [setting]: undefined };
  }
}

/** The settings of a file. */
type Settings = { readonly [Part in 'dialect' | 'behavior']?: NonNullable<MeasuredPlatform[Part]> };

/** Returns settings with measured ones; those that are undefined are the default. */
export function settingsWith(measured: Measured, { dialect, behavior }: Settings = {}): Required<Settings> {
  const settings = { dialect: { ...dialect }, behavior: { ...behavior } };
  for (const [path, value] of Object.entries(measured)) {
    const { values, name, key } = placeOf(settings, path);
    const entries = { ...fieldsOf(values[name]), [key]: value };
    const isEmpty = Object.values(entries).every((each) => each === undefined);
    values[name] = key === '' ? value : isEmpty ? undefined : entries;
  }
  return settings;
}

/** Returns a setting by its path. */
export function settingAt(settings: Settings, path: string): unknown {
  const { values, name, key } = placeOf(settings, path);
  return key === '' ? values[name] : fieldsOf(values[name])[key];
}

function placeOf(settings: Settings, path: string): { values: Record<string, unknown>; name: string; key: string } {
  const [part = '', name = '', ...key] = path.split('.');
  return { values: Object(settings[part as keyof Settings]), name, key: key.join('.') };
}
