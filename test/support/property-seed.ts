import fc from 'fast-check';

/**
 * Property tests draw the same cases in each run, so that a change fails only for what it changes. QUIPU_PROPERTY_SEED gives another
 * seed; `npm run test:full` draws a new one for each run and prints it.
 */
const SEED = 1;

fc.configureGlobal({ seed: Number(process.env.QUIPU_PROPERTY_SEED ?? SEED) });
