import type { WatchedCompany } from '../../dashboard/state/model.ts';

/** A watched company of Brazil that was read and has no verdict. */
export const watchedCompany = (over: Partial<WatchedCompany> = {}): WatchedCompany => ({
  country: 'BR',
  identifier: '11222333000181',
  formattedIdentifier: '11.222.333/0001-81',
  name: null,
  nameGap: null,
  verdict: null,
  candidates: null,
  readAt: 1,
  isOutdated: false,
  watchedSince: null,
  lastChangeAt: null,
  tags: [],
  ...over,
});
