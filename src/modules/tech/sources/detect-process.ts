import { answerInProcess } from '../../../sources/reading-process/entry.ts';
import { resolveSigns } from '../domain.ts';
import { loadFingerprints } from './fingerprints.ts';
import { type FetchedPage, factsOf, signsOf } from './match.ts';

/**
 * Detects the technologies of pages in a separate process, because a malicious page makes some patterns backtrack for minutes, or fills
 * the memory.
 */
const { fingerprints, relations, categories } = await loadFingerprints();
answerInProcess((page: FetchedPage) => resolveSigns(signsOf(factsOf(page), fingerprints), relations, categories));
