import { isNamedSource } from '../../../src/messages/source-names.ts';
import type { CandidateDecision, Country } from '../../api/operations.ts';
import { CANDIDATE_STATES, type CandidateFilter } from '../../state/candidates.ts';
import { oneOf, type Parameters } from '../../ui/query.ts';

export const COUNTRIES: readonly Country[] = ['BR', 'CL', 'CO'];
export const NAME_DECISIONS: readonly CandidateDecision[] = ['MATCH', 'REVIEW'];
/** Maximum length of the text of the filter, which is that of the API. */
export const MAX_TEXT = 100;

/** Reads the filters from the address. An unknown value is ignored. */
export function readFilter(given: URLSearchParams): CandidateFilter {
  const list = given.get('list');
  return {
    text: (given.get('q') ?? '').slice(0, MAX_TEXT),
    list: list !== null && isNamedSource(list) ? list : null,
    country: oneOf(given.get('country'), COUNTRIES),
    state: oneOf(given.get('state'), CANDIDATE_STATES),
    decision: oneOf(given.get('names'), NAME_DECISIONS),
  };
}

/** Returns the parameters of the address for the filters. They have no page of a list, because another filter begins with the first one. */
export const filterParameters = ({ text, list, country, state, decision }: CandidateFilter): Parameters => ({
  q: text,
  list: list ?? '',
  country: country ?? '',
  state: state ?? '',
  names: decision ?? '',
});
