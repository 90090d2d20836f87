import type { ServerResponse } from 'node:http';
import { writeResponse } from '../adapters/node-http.js';
import type { ControlAccess } from '../control/access.js';
import { controlErrorResponse, listenedOrganization } from '../control/api.js';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';
import type { MockPlatform } from '../platform/platform.js';
import type { ExchangeLog } from '../wire/request-log.js';
import { encodeResponse } from './encode.js';

/** The path of the console. */
const consolePath = '/__mock/console';
const eventsPath = '/__mock/events';
/** The path of the requests, each of which is an event. */
const requestsPath = '/__mock/onRequest';

/**
 * Handles a request to the console, to its stream of events, or to the stream of requests. Returns false if it is for
 * none of them. The page itself has no data, so that it loads without a session and asks for the control token.
 */
export async function serveConsole(
  platform: MockPlatform,
  access: ControlAccess,
  request: MockHttpRequest,
  response: ServerResponse,
): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (request.path === '/') {
    writeResponse(response, { status: 302, headers: { location: consolePath }, body: null });
    return true;
  }
  if (![consolePath, eventsPath, requestsPath].includes(request.path)) return false;
  if (request.path === consolePath) {
    writeResponse(response, await encodeResponse(request, await pageResponse()));
    return true;
  }
  try {
    access.authorize(request);
    if (request.path === eventsPath) writeChanges(response, platform.internals().exchanges);
    else {
      const organization = listenedOrganization(platform, request);
      writeEvents(response, (write) => organization.onRequest((received) => write('request', received)));
    }
  } catch (error) {
    writeResponse(response, controlErrorResponse(error));
  }
  return true;
}

/** The milliseconds between two comments that keep an idle connection open. */
const heartbeat = 15_000;
/** The least milliseconds between two events, for a platform under load. */
const minInterval = 200;

/**
 * Writes server-sent events until the client closes the connection. `subscribe` gets a function that writes an event,
 * and returns one that ends the subscription.
 */
function writeEvents(
  response: ServerResponse,
  subscribe: (write: (event: string, data: object) => void) => () => void,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': connected\n\n');
  const unsubscribe = subscribe((event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  const idle = setInterval(() => response.write(': idle\n\n'), heartbeat);
  response.once('close', () => {
    clearInterval(idle);
    unsubscribe();
  });
}

/**
 * Writes the event `changed` after requests, records, faults, behavior or the clock changed. What changed is read with
 * the calls of the control API.
 */
function writeChanges(response: ServerResponse, log: ExchangeLog): void {
  writeEvents(response, (write) => {
    let last = -Infinity;
    let timer: NodeJS.Timeout | undefined;
    const unsubscribe = log.subscribe(() => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          last = performance.now();
          write('changed', {});
        },
        Math.max(0, last + minInterval - performance.now()),
      );
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  });
}

async function pageResponse(): Promise<MockHttpResponse> {
  const { consolePage } = await import('./console-page.js');
  const { html, contentSecurityPolicy } = await consolePage();
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
    body: html,
  };
}
