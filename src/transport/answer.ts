import { answerFindings, type DriftKind } from '../contract/check.js';
import { owns } from '../contract/own.js';
import type { Attempt, Issue } from '../errors.js';
import { quietly } from './observe.js';
import type { PreparedRequest } from './request.js';

/** What a call gives beside its data. */
export interface AnswerInfo {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
  /** The platform's id of the request, where it sent one. */
  readonly requestId: string | undefined;
  /** The attempts that were made, the successful one last. */
  readonly attempts: readonly Attempt[];
}

/** What a call gives. */
export interface Answer<T> extends AnswerInfo {
  /** What was asked for. */
  readonly data: T;
}

/** How answers are held against the contract. */
export type Validation = 'standard' | 'strict' | 'observe';

/** One difference between an answer and the contract; never a value. */
export interface Drift {
  /** The endpoint that answered. */
  readonly endpoint: string;
  /** Where in the answer, such as `items[0].status`. */
  readonly path: string;
  /** How it differs. */
  readonly kind: DriftKind;
}

/** What is checked, and who hears of it. */
export interface AnswerRules {
  readonly validation: Validation;
  readonly onDrift: ((drift: Drift) => void) | undefined;
  /** Makes text of the platform's fit to print: the names of unknown fields are such. */
  readonly scrub: (text: string) => string;
}

/** An answer's data, or why it cannot be used. */
export type ReadAnswer = { readonly data: unknown } | { readonly issues: readonly Issue[]; readonly body: unknown; readonly passing: boolean };

/** Reads the text of a successful answer as what its endpoint promises. */
export function readAnswer(request: PreparedRequest, text: string, contentType: string, rules: AnswerRules): ReadAnswer {
  const parsed = parse(text);
  if (request.answer === 'anything') return { data: text === '' ? undefined : owns(parsed, 'value') ? parsed.value : text };
  const unusable = (message: string): ReadAnswer => ({ issues: [{ path: '', message }], body: text, passing: true });
  if (text === '') return unusable('is empty, and JSON is due');
  if (/\bhtml\b/i.test(contentType)) return unusable('is HTML, and JSON is due');
  if (!owns(parsed, 'value')) return unusable('is not valid JSON');
  if (request.result === undefined) return { data: parsed.value };
  return checked(request, parsed.value, rules);
}

function parse(text: string): { readonly value: unknown } | Record<never, never> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

function checked(request: PreparedRequest, value: unknown, { validation, onDrift, scrub }: AnswerRules): ReadAnswer {
  const findings = answerFindings((request.result as NonNullable<PreparedRequest['result']>)(), value).map((finding) => ({ ...finding, path: scrub(finding.path) }));
  const tolerated = (breaking: boolean): boolean => validation === 'observe' || (validation === 'standard' && !breaking);
  for (const { path, kind, breaking } of findings) if (tolerated(breaking)) quietly(() => onDrift?.({ endpoint: request.endpoint, path, kind }));
  const issues = findings.filter(({ breaking }) => !tolerated(breaking)).map(({ path, message }) => ({ path, message }));
  return issues.length === 0 ? { data: value } : { issues, body: value, passing: false };
}
