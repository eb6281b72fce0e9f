import { parentPort } from 'node:worker_threads';
import { detectCompanyKey } from '../../src/domain/company.ts';
import { parseEmailAddress } from '../../src/domain/email-address.ts';
import { readCnpj, readNit, readRut, strip } from '../../src/domain/tax-id.ts';
import { folded, withoutTrailing } from '../../src/domain/text.ts';
import { durationMs } from '../../src/domain/time.ts';
import { compilePattern, versionOf } from '../../src/modules/tech/sources/fingerprints.ts';
import { parseDomain } from '../../src/sources/domains/domain.ts';

const LENGTH = 100_000;

/** Texts that make expressions with adjacent or nested repetitions backtrack. */
const ATTACKS: readonly string[] = [
  ...['RUT', 'CNPJ', 'NIT', 'RUT N'].map((label) => `${label}${' '.repeat(LENGTH)}!`),
  ...[' ', '9', '0', '/', 'a', '-', '.', '+', '\uFEFF', '1 ', '1-', 'a@', '(*)', ' - ', '\\1?'].map(
    (part) => `${part.repeat(LENGTH / part.length)}!`,
  ),
];

const idna = { toAscii: (name: string) => name, toUnicode: (name: string) => name };
const ignoringErrors = (parse: () => unknown) => {
  try {
    parse();
  } catch {
    // a refusal is an answer too
  }
};

for (const text of ATTACKS) {
  for (const parse of [readCnpj, readRut, readNit, detectCompanyKey, strip, folded, durationMs, compilePattern, parseDomain])
    ignoringErrors(() => parse(text));
  ignoringErrors(() => withoutTrailing(text, '/ '));
  ignoringErrors(() => parseEmailAddress(text, idna));
  ignoringErrors(() => versionOf({ ...compilePattern('(a)'), version: text }, /(a)/.exec('a') as RegExpExecArray));
}
parentPort?.postMessage('done');
