import * as sdk from 'corridor-sdk';
import * as mock from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { setupServer } from 'msw/node';
import { expect, test } from 'vitest';
import cases from './cases.cjs';

// The edge runtime has no node:sqlite.
const sqlite = 'EdgeRuntime' in globalThis ? undefined : await import('corridor-sdk/mirror/sqlite');
cases.defineCases({ test, expect, sdk, mock, msw: { mockHandlers, setupServer }, sqlite });
