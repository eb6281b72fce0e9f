import { parentPort, workerData } from 'node:worker_threads';
import { resolveSigns } from '../domain.ts';
import { loadFingerprints } from './fingerprints.ts';
import { factsOf, type PageVisit, signsOf } from './match.ts';

/** One page, in a thread of its own that can be ended: some patterns backtrack for minutes on a page made for it. */
const { fingerprints, relations, categories } = await loadFingerprints();
parentPort?.postMessage(resolveSigns(signsOf(factsOf(workerData as PageVisit), fingerprints), relations, categories));
