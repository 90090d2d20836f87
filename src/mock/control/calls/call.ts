import * as z from 'zod/mini';
import type { MockOrganization } from '../../organization.js';
import type { MockPlatform } from '../../platform.js';

/** A call of the control API, for the platform or for one of its organizations. */
export interface ControlCall {
  /** The schemas of the parameters by name, in order. */
  readonly parameters: z.ZodMiniObject;
  /** Whether the call only reads, so that it also accepts GET. */
  readonly reads?: true;
  /**
   * The target: `platform` accepts no organization, `either` defaults to the whole platform. Otherwise the target
   * defaults to the first organization.
   */
  readonly scope?: 'platform' | 'either';
  readonly run: (platform: MockPlatform, organization: MockOrganization, ...args: readonly never[]) => unknown;
}

/** The schemas of parameters whose content the called method validates. */
export const [text, object, list] = [z.string(), z.looseObject({}), z.array(z.unknown())];
export const noParameters = z.strictObject({});

/** Calls by their names. */
export type NamedCalls = readonly (readonly [name: string, call: ControlCall])[];
