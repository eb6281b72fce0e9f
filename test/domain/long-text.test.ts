import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { detectCompanyKey } from '../../src/domain/company.ts';
import { formatRut, readCnpj, readNit, readRut, TAX_ID_TOO_LONG } from '../../src/domain/tax-id.ts';

/** Far more than linear parsers need on a busy machine; one that backtracks needs hours. */
const DEADLINE_MS = 60_000;

/** Resolves with `done`, or `too slow` when the thread was stopped at the deadline. */
async function runThread(file: string): Promise<unknown> {
  const worker = new Worker(path.join(import.meta.dirname, file), { execArgv: ['--import', 'tsx'] });
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, 'too slow');
  });
  const done = new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const result = await Promise.race([done, deadline]);
  clearTimeout(timer);
  await worker.terminate();
  return result;
}

describe('long texts', () => {
  it('of 100,000 characters are parsed in linear time', { timeout: 2 * DEADLINE_MS }, async () => {
    expect(await runThread('long-text-thread.ts')).toBe('done');
  });

  it.each(Object.entries({ readCnpj, readRut, readNit }))('of 65 characters are refused by %s', (_name, read) => {
    const padded = '11222333000181'.padStart(65);
    expect(read(padded)).toEqual(TAX_ID_TOO_LONG);
  });

  it('of 64 characters may be a tax id, of 65 not, for every way in', () => {
    expect(detectCompanyKey('11.222.333/0001-81'.padEnd(64))).toEqual({ country: 'BR', taxId: '11222333000181' });
    expect(() => detectCompanyKey('11.222.333/0001-81'.padEnd(65))).toThrow('at most 64 characters');
  });

  it('still group the digits of a RUT', () => {
    expect(formatRut('965057609')).toBe('96.505.760-9');
    expect(formatRut('19')).toBe('1-9');
  });
});
