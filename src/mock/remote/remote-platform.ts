import type { EndpointName } from '../../contract/endpoints.js';
import type { RecordedRequest } from '../http/request-log.js';
import type { MockOrganizationOptions } from '../options.js';
import type { MockClientOptions, MockCredentials, MockOrganization } from '../organization.js';
import type { MockPlatform } from '../platform.js';
import type { MockScenarios } from '../scenario/platform-scenarios.js';
import type { MockScenarioName } from '../scenario/stories.js';

/** The methods of `T`, each of which returns a promise. */
export type AsyncMethods<T> = {
  readonly [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? Name : never]: T[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

type RecordKind = 'customers' | 'beneficiaries' | 'persons' | 'documents' | 'quotes' | 'payments' | 'tickets';
type RemoteParts<T, Part extends keyof T> = { readonly [Name in Part]: AsyncMethods<T[Name]> };

/** The requests that a served platform or one of its organizations received. */
export interface RemoteRequests {
  /** Returns all requests, oldest first. */
  all(): Promise<RecordedRequest[]>;
  /** Returns the requests to one endpoint. */
  to(endpoint: EndpointName): Promise<RecordedRequest[]>;
  /** Removes them. */
  clear(): Promise<void>;
}

/** An organization on a served platform: the methods of `MockOrganization`, each of which returns a promise. */
export interface RemoteMockOrganization
  extends
    RemoteParts<MockOrganization, RecordKind | 'crypto' | 'faults'>,
    AsyncMethods<Pick<MockOrganization, 'populate' | 'scheduled' | 'reset'>> {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** The seed of all ids and data of its platform. */
  readonly seed: string;
  /** The requests with this organization's API key. */
  readonly requests: RemoteRequests;
  /** Returns the organization's credentials, with the URL of the connection. */
  credentials(): Promise<MockCredentials>;
  /**
   * Returns client options that reach the platform as this organization. Their `now` follows the mock's clock as of this
   * call and of later calls of this connection.
   */
  clientOptions(): Promise<Omit<MockClientOptions, 'fetch' | 'sleep'>>;
}

/** A served platform: the methods of `MockPlatform`, each of which returns a promise. */
export interface RemoteMockPlatform
  extends
    RemoteMockOrganization,
    RemoteParts<MockPlatform, 'clock'>,
    AsyncMethods<Pick<MockPlatform, 'removeOrganization' | 'assumptions' | 'configure' | 'snapshot' | 'restore'>> {
  /** Adds an organization. */
  organization(options?: MockOrganizationOptions): Promise<RemoteMockOrganization>;
  /** Returns all organizations, oldest first. */
  organizations(): Promise<RemoteMockOrganization[]>;
  /** The scenarios that the server knows: those of the package, and those that it was started with. */
  readonly scenarios: {
    /** Returns their names and descriptions. */
    list(): Promise<ReturnType<MockScenarios['list']>>;
    /** Loads one into the first organization. */
    load(name: MockScenarioName | (string & {})): Promise<void>;
  };
  /** Removes all records, requests and faults of all organizations, and restores clock and behavior. */
  reset(): Promise<void>;
}
