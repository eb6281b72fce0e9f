import fc from 'fast-check';

/**
 * Seed of property tests. They draw the same cases in each run, so that a failure is caused by the change under test. QUIPU_PROPERTY_SEED
 * gives another seed; `npm run test:full` draws a new one for each run and prints it.
 */
const SEED = 1;

fc.configureGlobal({ seed: Number(process.env.QUIPU_PROPERTY_SEED ?? SEED) });
