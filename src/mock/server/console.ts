import type { ServerResponse } from 'node:http';
import { writeEvents } from '../adapters/event-stream.js';
import { writeResponse } from '../adapters/node-http.js';
import type { ControlAccess } from '../control/access.js';
import { controlErrorResponse } from '../control/api.js';
import { EventReader } from '../control/events.js';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';
import type { MockPlatform } from '../platform/platform.js';

/** The path of the console. */
const consolePath = '/__mock/console';
const eventsPath = '/__mock/events';

/**
 * Handles a request to the console or to its stream of events. Returns false if the request is for neither. The page
 * itself has no data, so that it loads without a session and asks for the control token.
 */
export async function serveConsole(
  platform: MockPlatform,
  access: ControlAccess,
  request: MockHttpRequest,
  response: ServerResponse,
): Promise<boolean> {
  if (request.method !== 'GET' || (request.path !== consolePath && request.path !== eventsPath)) return false;
  if (request.path === consolePath) {
    writeResponse(response, await pageResponse());
    return true;
  }
  try {
    access.authorize(request);
    writeEvents(response, new EventReader(platform.recordExchanges(), request.headers['last-event-id']));
  } catch (error) {
    writeResponse(response, controlErrorResponse(error));
  }
  return true;
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
