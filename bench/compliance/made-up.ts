import { cnpjsFrom } from '../../test/support/made-up-cnpjs.ts';

/** Returns bare CNPJs of companies outside of the sandbox, which only the registry of the benchmark knows. */
export const madeUpCnpjs = (count: number): readonly string[] => cnpjsFrom(98_000_000, count);
