import type { ServerResponse } from 'node:http';

/** A source of server-sent events. */
export interface EventSourceReader {
  /** Calls a function when there is something to read, and returns a function that stops this. */
  subscribe(listener: () => void): () => void;
  /** Returns the next events in the format `text/event-stream`; undefined if there are no more for now. */
  read(): string | undefined;
}

/** The milliseconds between two comments that keep an idle connection open. */
const heartbeat = 15_000;

/**
 * Writes server-sent events until the client closes the connection. Waits for a client that reads slowly, so that events
 * do not pile up in memory.
 */
export function writeEvents(response: ServerResponse, reader: EventSourceReader): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': connected\n\n');
  let [isBlocked, isScheduled] = [false, false];
  const flush = (): void => {
    isScheduled = false;
    for (let events = isBlocked ? undefined : reader.read(); events !== undefined;) {
      isBlocked = !response.write(events);
      events = isBlocked ? undefined : reader.read();
    }
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  };
  response.on('drain', () => {
    isBlocked = false;
    schedule();
  });
  const timer = setInterval(() => void (isBlocked || response.write(': idle\n\n')), heartbeat);
  const unsubscribe = reader.subscribe(schedule);
  response.once('close', () => {
    clearInterval(timer);
    unsubscribe();
  });
  schedule();
}
