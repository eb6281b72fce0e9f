import { parentPort, workerData } from 'node:worker_threads';
import { resolveSigns } from '../domain.ts';
import { loadFingerprints } from './fingerprints.ts';
import { type FetchedPage, factsOf, signsOf } from './match.ts';

/** Detects the technologies of one page in a worker thread, which can be terminated: a malicious page makes some patterns backtrack for minutes. */
const { fingerprints, relations, categories } = await loadFingerprints();
parentPort?.postMessage(resolveSigns(signsOf(factsOf(workerData as FetchedPage), fingerprints), relations, categories));
