import type { ServerResponse } from 'node:http';
import { bodyBytes, pause, piecesOf } from './delivery.js';
import type { Reply } from './exchange.js';

/** Sends an answer, or does to the connection what a fault says. */
export function send(response: ServerResponse, reply: Reply): void {
  const { delivery } = reply;
  if (delivery === undefined) return sendWhole(response, reply);
  switch (delivery.kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
    case 'hang':
      break;
    case 'slow':
      whileConnected(response, async (signal) => {
        await pause(delivery.delay, signal);
        sendWhole(response, reply);
      });
      break;
    case 'drip':
      begin(response, reply);
      whileConnected(response, (signal) => drip(response, reply, delivery.pause, signal));
      break;
    case 'cut':
      // The half that was written goes out before the connection is closed.
      begin(response, reply);
      response.write(piecesOf(reply)[0], () => response.socket?.end());
      break;
    case 'stall':
      begin(response, reply);
      response.write(piecesOf(reply)[0]);
      break;
  }
}

function sendWhole(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers);
  response.end(body ?? undefined);
}

function begin(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': bodyBytes(reply).length });
}

async function drip(response: ServerResponse, reply: Reply, milliseconds: number, signal: AbortSignal): Promise<void> {
  for (const piece of piecesOf(reply)) {
    await pause(milliseconds, signal);
    response.write(piece);
  }
  response.end();
}

/** Does something that takes time, until it is done or the client gone. */
function whileConnected(response: ServerResponse, act: (signal: AbortSignal) => Promise<void>): void {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  act(gone.signal).catch(() => response.destroy());
}
