import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { everything, parse, type SourceFile } from './tree.js';

// One word for one thing: each of these names was replaced by a standard term of the field and must not come back. The
// test reads declarations only. Wire names, endpoint names and text that the platform echoes are strings or properties
// of other declarations.

/** Words that no file or folder name may contain, each with the word to use instead. */
const bannedWords: Readonly<Record<string, string>> = {
  agenda: 'schedule',
  answer: 'response',
  answers: 'responses',
  asked: 'expected',
  carrier: 'adapter',
  carriers: 'adapters',
  carry: 'adapter',
  chance: 'random',
  course: 'lifecycle or state',
  garbage: 'malformed',
  gate: 'semaphore',
  outline: 'shape',
  pace: 'backoff or trigger',
  refusal: 'error',
  refusals: 'errors',
  refuse: 'reject',
  refused: 'invalid or rejected',
  room: 'layer',
  rooms: 'layers',
  settle: 'resolve',
  settlement: 'resolution',
  settlements: 'resolutions',
  spoiled: 'corrupt',
  told: 'report',
  trail: 'history',
  unwanted: 'canceled',
  walk: 'iteration',
  walks: 'iteration',
  world: 'fixture',
};

/** Former paths below src, each with the path to use instead. */
const bannedPaths: Readonly<Record<string, string>> = {
  'api-call': 'core/api-promise',
  'cli/client-failure': 'cli/print/error',
  'cli/failure': 'cli/print/error',
  'cli/finding': 'cli/doctor/check',
  'cli/nearest': 'cli/suggest',
  'cli/secrets': 'cli/redact',
  'cli/watched-fetch': 'cli/redacting-fetch',
  'contract/check': 'contract/validate',
  'contract/documents': 'contract/schema/download-url',
  'contract/endpoint': 'contract/endpoint-definition',
  'contract/field': 'contract/schema/primitives',
  'contract/fields': 'contract/request-fields',
  'contract/open': 'contract/open-enum',
  'contract/own': 'contract/own-properties',
  'contract/page': 'contract/schema/pagination',
  'contract/sensitive': 'contract/redact',
  error: 'errors/base',
  errors: 'errors/api',
  'journal/row': 'journal/serialization',
  list: 'core/pagination',
  'mock/call': 'mock/handlers/handler',
  'mock/control-calls': 'mock/control/calls',
  'mock/created': 'mock/matchers/created-records',
  'mock/credentials': 'mock/http/authenticate',
  'mock/delivery': 'mock/adapters/deliver',
  'mock/error-shapes': 'mock/http/error-bodies',
  'mock/exchange': 'mock/http/message',
  'mock/fault-effects': 'mock/faults/apply',
  'mock/faults': 'mock/faults/fault-plan',
  'mock/handle': 'mock/http/handle-request',
  'mock/json': 'mock/guards',
  'mock/matcher-report': 'mock/matchers/report',
  'mock/node-delivery': 'mock/adapters/node-http',
  'mock/paging': 'mock/store/paginate',
  'mock/places': 'mock/data/countries',
  'mock/records/input': 'mock/records/builder',
  'mock/reply': 'mock/http/response',
  'mock/request-check': 'mock/http/validate-request',
  'mock/requests': 'mock/http/request-log',
  'mock/stored': 'mock/store/records',
  'mock/switches': 'mock/behavior',
  pages: 'core/pagination',
  'standard-schema': 'core/standard-schema',
  trail: 'core/cursor-history',
  'transport/answer': 'transport/response/parse-response',
  'transport/body': 'transport/response/read-body',
  'transport/call': 'transport/retry/retry-loop',
  'transport/clock': 'transport/timing/server-clock',
  'transport/credentials': 'transport/auth/token',
  'transport/exchange': 'transport/signed-fetch',
  'transport/failures': 'transport/map-error',
  'transport/keys': 'transport/auth/import-key',
  'transport/limits': 'transport/timing/call-timeouts',
  'transport/observe': 'transport/events',
  'transport/pause': 'transport/timing/sleep',
  'transport/problem': 'transport/response/parse-error-body',
  'transport/request': 'transport/request/build-request',
  'transport/retries': 'transport/retry/retry-policy',
  'transport/runtime': 'transport/retry/runtime-resends',
  'transport/secrets': 'transport/redact',
  'transport/shared-signers': 'transport/auth/signer-cache',
  'transport/snapshot': 'transport/request/copy-input',
  'transport/timing': 'transport/timing/timers',
  'workflows/check': 'workflows/preflight',
  'workflows/feed': 'workflows/changes/poller',
  'workflows/followed-payments': 'workflows/changes/tracker',
  'workflows/journal-failure': 'errors/journal',
  'workflows/match': 'workflows/create-once/compare-payment',
  'workflows/once': 'workflows/create-once/context',
  'workflows/outcome-errors': 'errors/payments',
  'workflows/record-time': 'workflows/platform-time',
  'workflows/search': 'workflows/create-once/find-by-intent',
  'workflows/time-left': 'workflows/shared-timeout',
  'workflows/under-way': 'workflows/create-once/in-flight',
  'workflows/wait-for': 'workflows/wait/payment',
  'workflows/wait-for-status': 'workflows/wait/customer',
  'workflows/watch': 'workflows/wait/poll-until',
  'workflows/workflow': 'workflows/context',
};

/** Types, interfaces and classes that must not be declared, each with the name to use instead. */
const bannedTypes: Readonly<Record<string, string>> = {
  Agenda: 'Schedule',
  AgendaSnapshot: 'schedule snapshot',
  Answer: 'response',
  AnswerDetails: 'ApiErrorDetails',
  Answerer: 'Responder',
  AnswerInfo: 'ResponseMetadata',
  AnswerOnItsWay: 'DeferredApiPromise',
  AnswerRules: 'ValidationRules',
  Answers: 'Handlers',
  AnswersOf: 'HandlersFor',
  AnswersOfMock: 'MockResponses',
  ApiCall: 'ApiPromise',
  Arrival: 'MockHttpRequest',
  Asked: 'request',
  AskedFields: 'RequestFields',
  AssumedSwitches: 'MockBehavior',
  AsymmetricMatch: 'AsymmetricMatcher',
  Awaited: 'WaitTarget',
  CallEnd: 'CallSummary',
  Carrier: 'Adapter',
  CarrierRow: 'AdapterRow',
  Chance: 'RandomSource',
  CheckedPace: 'TransitionTrigger',
  Course: 'CallState',
  CustomerListQuery: 'CustomerListParams',
  CustomersWithWorkflows: 'Customers',
  Difference: 'MismatchedField',
  ErrorEvent: 'RequestErrorEvent',
  Extent: 'Range',
  Feed: 'PaymentPoller',
  FindQuery: 'PaymentFindParams',
  Gate: 'Semaphore',
  JournalRecord: 'JournalEntry',
  LateCall: 'ScheduledCall',
  Limits: 'CallTimeouts',
  LongWalk: 'LongIteration',
  Meaning: 'SchemaMetadata',
  MockArrival: 'MockHttpRequest',
  MockAsked: 'ExpectedRequest',
  MockCreated: 'CreatedKind',
  MockDelivery: 'MockResponseDelivery',
  MockPace: 'TransitionTrigger',
  MockRefusal: 'RecordedErrorResponse',
  MockReply: 'MockHttpResponse',
  MockRequest: 'RecordedRequest',
  MockRequestLog: 'RequestLog',
  MockSwitches: 'MockBehavior',
  MovingKind: 'TransitionableKind',
  MovingWorld: 'ChangingList',
  News: 'Change',
  Pace: 'PollBackoff',
  PageRequest: 'PagePromise',
  Partially: 'PartialInput',
  PaymentCreate: 'PaymentCreateParams',
  PaymentIntent: 'PaymentCreateIntent',
  PaymentListQuery: 'PaymentListParams',
  PaymentProblem: 'PaymentIssue',
  PaymentProblemCode: 'PaymentIssueCode',
  PaymentsUnderWay: 'InFlightPayments',
  PaymentsWithWorkflows: 'Payments',
  Piece: 'Chunk',
  ReadAnswer: 'ParseResult',
  Reconciliation: 'ReconcileResult',
  Recovery: 'ReconciledIntent',
  Refusal: 'HttpError',
  Refusals: 'InvalidValues',
  RefusedAnswer: 'ErrorResponse',
  RememberedPayment: 'opaque checkpoint',
  Reply: 'MockHttpResponse',
  ServedMockPlatform: 'MockPlatformServer',
  Settlement: 'IntentResolution',
  ShownPayment: 'PaymentResult',
  Sight: 'Observation',
  Stopped: 'CallStoppedError',
  Succession: 'TakeOver',
  SupportReplyReceipt: 'SupportReplyResponse',
  TokenRequest: 'ClaimsContext',
  Told: 'ErrorReport',
  Totals: 'QuoteTotals',
  Trail: 'CursorHistory',
  Validation: 'ValidationMode',
  Walked: 'Iterated',
  WalkRow: 'IterationRow',
  Wanted: 'PrintOptions',
  WithResponse: 'ApiResponse',
  World: 'fixture or scenario',
};

/** Variables, parameters, functions and members that must not be declared, each with the name to use instead. */
const bannedValues: Readonly<Record<string, string>> = {
  answer: 'respond or response',
  answered: 'responded or response',
  answerFindings: 'validateResponse',
  answering: 'respondingWith',
  answers: 'responses',
  answerSchema: 'responseSchema',
  answersOf: 'responsesOf',
  answersOfMock: 'collectMockResponses',
  apiCall: 'toApiPromise',
  arrival: 'request',
  arrivalOf: 'toMockRequest',
  asked: 'expected, requested or requests',
  callOf: 'mapResponse',
  carriers: 'adapters',
  countReads: 'advanceOnRead',
  course: 'history, lifecycle or state',
  expectAnswer: 'expectResponse',
  faulted: 'respondWithFault',
  fillPath: 'expandPath',
  followCompleted: 'returnWindow',
  gate: 'semaphore',
  handOver: 'takeOver',
  lasting: 'isPermanent',
  lazily: 'memoize',
  listAsked: 'listChecked',
  listFailure: 'listError',
  listIn: 'extractArray',
  listOf: 'createPagePromise',
  longestInterval: 'maxPollInterval',
  mayNotFit: 'needsRecord',
  mend: 'fix',
  mockCarriers: 'mockAdapters',
  noAnswer: 'noResponse',
  notShown: 'question',
  openRecord: 'looseObject',
  outcomeWords: 'outcomeDescriptions',
  pace: 'trigger or backoff',
  pagesAsked: 'pagesRequested',
  passingStatuses: 'retryableStatusCodes',
  pauseAfter: 'retryDelay',
  piecesOf: 'chunksOf',
  planCreated: 'scheduleTransitionsOnCreate',
  planMoves: 'scheduleTransitions',
  readAnswer: 'parseResponse',
  refusal: 'error',
  refusalOf: 'errorOf',
  refusalReply: 'errorResponse',
  refusals: 'errors',
  refuse: 'fail or reject',
  refused: 'rejected or invalid',
  refuseKey: 'throwKeyError',
  refuseMissing: 'notFound',
  refuseUnknown: 'unknownRecord',
  refusing: 'rejecting',
  requireChain: 'assertTransitions',
  requireInterception: 'assertInterception',
  requireMove: 'assertTransition',
  responseOf: 'toResponse',
  retryPrice: 'retryCost',
  scrubber: 'createRedactor',
  settle: 'resolve',
  settlement: 'resolution',
  settleWindow: 'consistencyWindow',
  shownPayment: 'toWirePayment',
  spoiledResult: 'corruptResult',
  spoiledText: 'corruptText',
  stood: 'committed',
  tell: 'describeError or report',
  toHaveRefused: 'toHaveRejected',
  told: 'reported',
  trail: 'cursorHistory',
  unusableFailure: 'invalidResponseFailure',
  waitFor: 'waitForStatus',
  walk: 'iterate or visit',
  walks: 'iterations',
  watchedFetch: 'redactingFetch',
  world: 'fixture or scenario',
};

/** Returns the name that a node declares. Shorthand properties repeat a declaration elsewhere. */
function declaredName(node: ts.Node): ts.Node | undefined {
  const declares =
    ts.isDeclarationStatement(node) ||
    ts.isClassElement(node) ||
    ts.isTypeElement(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isImportSpecifier(node) ||
    ts.isExportSpecifier(node) ||
    ts.isTypeParameterDeclaration(node);
  return declares ? node.name : undefined;
}

/** Returns the banned names of a file, each with the name to use instead. */
function bannedIn(file: SourceFile): string[] {
  const [, path = ''] = /^src\/(.+)\.ts$/.exec(file.path) ?? [];
  const found = file.path
    .split(/[/.-]/)
    .flatMap((word) => (Object.hasOwn(bannedWords, word) ? [`${file.path}: ${word}, use ${bannedWords[word]}`] : []));
  if (Object.hasOwn(bannedPaths, path)) found.push(`${file.path}: use ${bannedPaths[path]}`);
  const tree = parse(file);
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) {
      const text = name.text.replace('#', '');
      const instead = [bannedTypes, bannedValues].find((table) => Object.hasOwn(table, text))?.[text];
      if (instead !== undefined)
        found.push(
          `${file.path}:${tree.getLineAndCharacterOfPosition(name.getStart()).line + 1}: ${text}, use ${instead}`,
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test('no file, folder or declaration has a banned name', () => {
  // The tables above are property assignments, too.
  const files = everything().filter(
    ({ path }) =>
      /^(?:src|test|examples|scripts|bench)\/.*\.[cm]?[jt]s$/.test(path) && path !== 'test/repository/names.test.ts',
  );
  expect(files.flatMap(bannedIn)).toEqual([]);
}, 120_000);

describe('a banned name is found', () => {
  test.each([
    ['in a path', 'src/mock/refusal/payments.ts', ''],
    ['in the name of a file', 'test/mock/spoiled-body.test.ts', ''],
    ['as a former file', 'src/transport/keys.ts', ''],
    ['as a class', 'src/probe.ts', 'class Refusal {}'],
    ['as a type', 'src/probe.ts', 'export type Arrival = string;'],
    ['as a parameter', 'src/probe.ts', 'const a = (arrival: string) => 1;'],
    ['as a destructured name', 'src/probe.ts', 'const { body: arrival } = value;'],
    ['as a private field', 'src/probe.ts', 'class A { #trail = 1; }'],
    ['as a key of a literal', 'src/probe.ts', 'call({ settleWindow: 1 });'],
  ])('%s', (_, path, text) => {
    expect(bannedIn({ path, text })).toHaveLength(1);
  });
});

test('strings, comments and names of others may use any word', () => {
  expect(bannedIn({ path: 'src/probe.ts', text: "// arrival\nconst request = other.arrival ?? 'arrival';" })).toEqual(
    [],
  );
});
