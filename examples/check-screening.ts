import { Corridor, type PersonScreening, type ScreeningRun } from 'corridor-sdk';

/** The screening result of a person. */
export interface ScreeningCheck {
  /** Whether neither payments are held nor onboarding is blocked. */
  readonly clear: boolean;
  readonly screening: PersonScreening;
  /** The last runs, at most ten. */
  readonly runs: readonly ScreeningRun[];
}

/** Reads the screening result of a person and its last runs. */
export async function checkScreening(
  corridor: Corridor,
  customerId: string,
  personId: string,
): Promise<ScreeningCheck> {
  const [screening, runs] = await Promise.all([
    corridor.screening.get(customerId, personId),
    corridor.screening.history(customerId, personId, { limit: 10 }).toArray({ max: 10 }),
  ]);
  const { paymentHold, onboardingBlocked } = screening.subject;
  return { clear: !paymentHold && !onboardingBlocked, screening, runs };
}

// node examples/check-screening.ts <customer id> <person id>
if (import.meta.main) console.log(await checkScreening(new Corridor(), process.argv[2] ?? '', process.argv[3] ?? ''));
