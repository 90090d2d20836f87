import { Corridor, JournalError, type MirrorError } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { createMockPlatform } from 'corridor-sdk/mock';
import { Client, Pool } from 'pg';
import { describe, expect, test } from 'vitest';

/** The error of a mirror and the message of a journal whose pool throws `error`. */
async function failuresOf(error: unknown) {
  const fail = (): Promise<never> => Promise.reject(error as Error);
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), journal: new PostgresJournal({ query: fail }) });
  const ofMirror = (await corridor
    .sync(new PostgresMirror({ connect: fail }), { once: true })
    .catch((failure: unknown) => failure)) as MirrorError;
  const call = corridor.payments.createOnce(platform.payments.createParams(), { idempotencyKey: 'order-1' });
  const ofJournal = (await call.catch((failure: unknown) => failure)) as JournalError;
  expect(ofJournal).toBeInstanceOf(JournalError);
  expect(ofJournal.original()).toBe(error);
  expect(ofMirror.original()).toBe(error);
  expect(platform.requests).toHaveLength(0);
  return { ofMirror, ofJournal };
}

async function passes(error: unknown): Promise<boolean> {
  const { ofMirror, ofJournal } = await failuresOf(error);
  if (ofMirror.retryable) expect(ofJournal.message).toMatch(/(?:Call again when it is available|, and call again)$/);
  else expect(ofJournal.message).not.toContain('when it is available');
  return ofMirror.retryable;
}

const withCode = (code: string | undefined, message = 'secret', details: object = {}): Error =>
  Object.assign(new Error(message), { code, ...details });

// Each class of Appendix A of PostgreSQL's documentation: the codes of it that pass, and some that do not.
const classes: readonly (readonly [name: string, passing: string, others: string])[] = [
  ['warning, no data, incomplete statement', '', '01000 02000 03000'],
  ['connection', '08000 08001 08003 08004 08006 08007', '08P01'],
  ['triggered action, unsupported feature', '', '09000 0A000'],
  ['invalid transaction, locator, grantor, role, diagnostics, xquery', '', '0B000 0F000 0L000 0P000 0Z000 10608'],
  ['case, cardinality, data', '', '20000 21000 22000 22001 22P02 22021'],
  ['integrity', '', '23000 23502 23503 23505 23514'],
  ['cursor', '', '24000 34000'],
  ['transaction state', '25006 25P03 25P04', '25000 25001 25P01 25P02'],
  ['statement name, triggered data, authorization', '', '26000 27000 28000 28P01'],
  ['privileges, termination, routines, savepoints', '', '2B000 2D000 2F000 38000 39000 3B000'],
  ['catalog and schema', '', '3D000 3F000'],
  ['rollback', '40000 40001 40003 40P01', '40002'],
  ['syntax and access', '', '42000 42501 42601 42703 42P01 42P05 42P10 44000'],
  ['insufficient resources', '53000 53100 53200 53300', '53400'],
  ['program limit', '', '54000 54001'],
  ['object state', '55006 55P03', '55000 55P02 55P04'],
  ['operator intervention', '57000 57014 57P01 57P02 57P03 57P04 57P05', ''],
  ['system', '58000 58030', '58P01 58P02 58P03'],
  ['snapshot', '72000', ''],
  ['configuration, foreign data, PL/pgSQL, internal', '', 'F0000 F0001 HV000 P0000 P0001 XX000 XX001 XX002'],
];

describe.each(classes)('of the codes of PostgreSQL about %s', (_name, passing, others) => {
  const codes = (text: string): string[] => text.split(' ').filter((code) => code !== '');

  test.each([...codes(passing).map((code) => [code, true]), ...codes(others).map((code) => [code, false])] as const)(
    '%s passes: %s',
    async (code, expected) => expect(await passes(withCode(String(code)))).toBe(expected),
  );
});

test.each(
  `ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA ESERVFAIL ETIMEOUT
   ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENOTCONN
   ENETUNREACH ENETDOWN ENETRESET EADDRNOTAVAIL EAGAIN EMFILE ENFILE ENOBUFS ENOMEM
   ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END ERR_STREAM_PREMATURE_CLOSE ERR_SOCKET_CLOSED
   ERR_SOCKET_CONNECTION_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT CONNECTION_CLOSED CONNECT_TIMEOUT`.split(/\s+/),
)('the code %s of Node or postgres.js passes', async (code) => expect(await passes(withCode(code))).toBe(true));

test.each(
  `EACCES EPERM ENOENT EINVAL EPROTO ENOTFOUND_ XECONNRESET 108006 080061 E57P01
   ERR_INVALID_ARG_TYPE ERR_TLS_CERT_ALTNAME_INVALID CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT
   CONNECTION_ENDED CONNECTION_DESTROYED SASL_SIGNATURE_MISMATCH UNSAFE_TRANSACTION NOT_TAGGED_CALL`.split(/\s+/),
)('the code %s does not pass', async (code) => expect(await passes(withCode(code))).toBe(false));

test.each([
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'There was an error establishing an SSL connection',
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
  'no connection to the server\n',
])('the error of pg %j passes', async (message) => expect(await passes(new Error(message))).toBe(true));

test.each([
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
  'Client has already been connected. You cannot reuse a client.',
  'The server does not support SSL connections',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
  'password authentication failed',
  'the Connection terminated',
])('the error of pg %j does not pass', async (message) => expect(await passes(new Error(message))).toBe(false));

test.each([
  ['08P01', 'query_wait_timeout'],
  ['08P01', 'query timeout'],
  ['08P01', 'client_login_timeout (server down)'],
  ['08P01', 'idle transaction timeout'],
  ['08P01', 'server conn crashed?'],
  ['08P01', 'server DNS lookup failed'],
  ['08P01', 'server login has been failing, cached error: connect failed (server_login_retry)'],
  ['08P01', 'server login has been failing, cached error: the database system is starting up (server_login_retry)'],
  ['08P01', 'pooler is shutting down'],
  ['08P01', 'pgbouncer cannot connect to server'],
  ['08P01', 'no more connections allowed (max_client_conn)'],
  ['08P01', 'client connections exceeded (max_user_client_connections)'],
  ['08P01', 'database "shop" is disabled'],
  ['XX000', '(EMAXCONNSESSION) max clients reached in session mode - max clients are limited to pool_size: 15'],
  ['XX000', '(ECHECKOUTTIMEOUT) unable to check out connection from the pool after 60000ms in transaction mode'],
  ['XX000', '(EDBHANDLEREXITED) DbHandler exited. Check logs for more information'],
])('the error %s of a pooler, %j, passes', async (code, message) =>
  expect(await passes(withCode(code, message))).toBe(true),
);

test.each([
  ['08P01', 'no such database: shop'],
  ['08P01', 'no such user'],
  ['08P01', 'server login has been failing, cached error: password authentication failed for user "shop"'],
  ['08P01', 'server login has been failing, cached error: database "shop" does not exist (server_login_retry)'],
  ['08P01', 'bind message supplies 1 parameters, but prepared statement "" requires 2'],
  ['XX000', '(ENOTFOUND) tenant/user shop.x not found'],
  ['XX000', 'cache lookup failed for relation 16384'],
  ['28P01', 'query_wait_timeout'],
])('the error %s of a pooler, %j, does not pass', async (code, message) =>
  expect(await passes(withCode(code, message))).toBe(false),
);

test.each([
  ['a standby, in English', withCode('0A000', 'cannot set transaction read-write mode during recovery')],
  [
    'a standby, in another language',
    withCode('0A000', 'im Wiederherstellungsmodus', { routine: 'call_bool_check_hook' }),
  ],
  [
    'the socket of a server that starts',
    withCode('ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', { syscall: 'connect' }),
  ],
  ['a timeout of a wrapper', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ['several addresses', new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')])],
  ['a wrapped error', new Error('fetch failed', { cause: new Error('other', { cause: withCode('ECONNRESET') }) })],
])('an error of %s passes', async (_name, error) => expect(await passes(error)).toBe(true));

test('a standby that cannot begin to write is named', async () => {
  const { ofMirror } = await failuresOf(withCode('0A000', 'cannot set transaction read-write mode during recovery'));
  expect(ofMirror.message).toMatch(/the database of the mirror is read-only: it is a standby, .*\(0A000\)\. Connect/);
});

test.each([
  ['nothing', undefined],
  ['a text', 'Connection terminated'],
  ['an unsupported statement', withCode('0A000', 'cannot use serializable mode in a hot standby', { routine: 'x' })],
  ['a file that does not exist', withCode('ENOENT', 'open root.crt', { syscall: 'open' })],
  ['several addresses that were denied', new AggregateError([withCode('EACCES')])],
  ['a rejected password behind a lost connection', Object.assign(withCode('28P01'), { cause: withCode('ECONNRESET') })],
])('an error of %s does not pass', async (_name, error) => expect(await passes(error)).toBe(false));

test('an error that is its own cause ends', async () => {
  const error = new Error('circular');
  error.cause = error;
  expect(await passes(error)).toBe(false);
});

test('what pg itself throws passes: a refused connection, a name that does not resolve, and a pool that is in use', async () => {
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await passes(await failureOf(new Client('postgres://corridor@127.0.0.1:1/postgres').connect()))).toBe(true);
  expect(await passes(await failureOf(new Client('postgres://corridor@corridor.invalid/postgres').connect()))).toBe(
    true,
  );
  const pool = new Pool({ connectionString: 'postgres://corridor@127.0.0.1:1/postgres' });
  await pool.end();
  expect(await passes(await failureOf(pool.connect()))).toBe(false);
});

test.each([
  [
    '42501',
    /^payments.create was not sent by this call: the role of the journal lacks a permission on the journal's table corridor_journal, or may not create what is missing \(42501\)\. Run the SQL of postgresMigration\('corridor_journal'\) from corridor-sdk\/journal\/postgres as a role that may create tables, and then: grant usage on its schema, and select, insert, update, delete on corridor_journal, to the role of the journal$/,
  ],
  ['42P01', /does not exist in this database \(42P01\)\. Run the SQL of postgresMigration/],
  ['3F000', /does not exist in this database \(3F000\)\. Run the SQL of postgresMigration/],
  ['25006', /the database of the journal is read-only: it is a standby, .*\(25006\)\. Connect to the primary/],
  ['53100', /the disk of the database of the journal is full \(53100\)\. Free space on it/],
])('the error %s names the cause and the fix', async (code, message) => {
  const { ofJournal, ofMirror } = await failuresOf(withCode(code));
  expect(ofJournal.message).toMatch(message);
  expect(ofMirror.message).not.toMatch(/journal|secret/);
});
