import { screeningService } from '../../../src/modules/screening/service/screening.ts';
import type { TestApp } from '../../support/app.ts';
import { cnpjsFrom } from '../../support/made-up-cnpjs.ts';

export const START = '/v1/screenings';

/** Valid CNPJs that the sandbox's registry does not have, different for each `series`. */
export const unknownCnpjs = (count: number, series = 50): readonly string[] => cnpjsFrom(series * 1_000_000, count);

/** Starts a screening and returns its id. */
export async function start(app: TestApp, identifiers: readonly string[], over: Readonly<Record<string, unknown>> = {}, key = app.key) {
  const { body } = await app.post(START, { identifiers, ...over }, key);
  return String(body.screening_id);
}

/** Checks batches until none is due, as a worker does. */
export const work = (app: TestApp, signal = new AbortController().signal): Promise<void> => app.open(screeningService).runner.run(signal);

/** Answers counted for modules, from the usage rows. */
export async function counted(app: TestApp): Promise<Readonly<Record<string, number>>> {
  await app.drainUsage();
  const rows: readonly { module: string; used: string }[] = await app
    .db('usage_counters')
    .select('module')
    .sum('used as used')
    .groupBy('module');
  return Object.fromEntries(rows.map(({ module, used }) => [module, Number(used)]));
}
