import type { UpstreamSummary } from '../../mock/platform/platform.js';
import { useControl } from './use-control.js';

/** The real platform behind the server; undefined for a mock, and until it is read. */
export const useUpstream = (): UpstreamSummary | undefined =>
  useControl<UpstreamSummary | null>('upstream').data ?? undefined;
