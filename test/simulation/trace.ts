import type { VirtualTime } from '../support/virtual-time.ts';

/** Records what happens in a simulation, and what was wrong. */
export class Trace {
  readonly lines: string[] = [];
  readonly failures: string[] = [];
  readonly #time: VirtualTime;
  readonly #started: number;

  constructor(time: VirtualTime) {
    this.#time = time;
    this.#started = time.now();
  }

  /** Records an event of an actor, such as a process or the platform. */
  add(actor: string, event: string): void {
    const seconds = ((this.#time.now() - this.#started) / 1000).toFixed(3);
    this.lines.push(`${seconds.padStart(10)} s  ${actor.padEnd(12)} ${event}`);
  }

  /** Records that a promise of the client was broken. */
  fail(message: string): void {
    this.add('FAILURE', message);
    if (!this.failures.includes(message)) this.failures.push(message);
  }
}

/** Describes what a call threw. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { name, message } = thrown;
  const outcome = 'outcome' in thrown && typeof thrown.outcome === 'string' ? ` (${thrown.outcome})` : '';
  return `${name}${outcome}: ${message.slice(0, 300)}`;
}
