import { describe, expect, it } from 'vitest';
import { companyMessages } from '../../src/messages/companies.ts';
import { allRows, joined, LANGUAGES, type Message } from '../../src/messages/message.ts';
import { reasonMessages } from '../../src/messages/reasons.ts';
import { storedReasonIn } from '../../src/messages/stored-reasons.ts';
import { englishIn } from '../support/english.ts';

const active = reasonMessages.active();
const list = (...parts: readonly (string | Message)[]) => joined(parts, '; ');
const debarred = (kind: string, body: string) => reasonMessages.debarmentRecord({ kind, body, status: active });
const employed = (employer: string) => reasonMessages.laborRecord({ employer, year: 2023, status: reasonMessages.ended() });
const fined = (kind: string | Message, date: string | Message) => reasonMessages.contractFine({ kind, body: 'ALCALDÍA DE CALI', date });

/** Every sentence of a reason, by the code under which it is stored. */
const REASONS: readonly (readonly [code: string, message: Message])[] = [
  ['match', reasonMessages.matches({ n: 1, list: 'OFAC_SDN', names: list('ACME (HOLDINGS) LTD; BY SEA, active') })],
  ['match', reasonMessages.matches({ n: 4, list: 'UN_CONSOLIDATED', names: list('ONE', 'TWO', 'THREE', '…') })],
  ['listed', reasonMessages.records({ n: 1, list: 'TRABALHO_ESCRAVO', records: list(employed('FAZENDA A, B E C')) })],
  [
    'listed',
    reasonMessages.records({ n: 4, list: 'TRABALHO_ESCRAVO', records: list(employed('A'), employed('B'), employed('C; D'), '…') }),
  ],
  ['record', reasonMessages.records({ n: 1, list: 'CEIS', records: list(debarred('Suspensão', 'Ministério da Agricultura, Pecuária')) })],
  [
    'record',
    reasonMessages.records({ n: 2, list: 'CNEP', records: list(debarred('Multa; Lei 12.846, art. 6º', 'CGU'), debarred('A', 'B')) }),
  ],
  [
    'fine',
    reasonMessages.contractFines({ n: 1, list: 'MULTAS_SECOP_I', fines: list(fined(reasonMessages.fine(), reasonMessages.noDate())) }),
  ],
  ['fine', reasonMessages.contractFines({ n: 2, list: 'MULTAS_SECOP_II', fines: list(fined('Cláusula penal', '2024-01-31'), '…') })],
  ['tax_debtor', reasonMessages.taxDebtor()],
  ['tax_debtor', reasonMessages.taxDebtorOf({ amount: 1_250_000 })],
  ['inactive', reasonMessages.notActive({ registration: 'MATRÍCULA CANCELADA (fusión).' })],
  ['inactive', reasonMessages.branchOnly()],
  ['not_renewed', reasonMessages.notRenewed({ year: '2019', missed: '6' })],
  ['not_found', companyMessages.notFoundAs({ id: 'CNPJ' })],
  ['not_found', reasonMessages.not_in_register()],
  ['not_found', reasonMessages.notInRegisterAsOf({ date: '2026-10-05' })],
  ['not_found', reasonMessages.not_registered()],
  ['not_found', reasonMessages.natural_person()],
];

describe('a reason that is stored in English', () => {
  it.each(REASONS.map(([code, message]) => [code, message.in('en'), message] as const))('%s: %s', (code, english, message) => {
    const stored = `check.${code}: ${english}`;
    expect(LANGUAGES.map((language) => storedReasonIn(stored, language))).toEqual(
      LANGUAGES.map((language) => `check.${code}: ${message.in(language)}`),
    );
    expect(new Set(LANGUAGES.map((language) => storedReasonIn(stored, language))).size).toBe(3);
  });

  it('is read for every row of the table of reasons', () => {
    const reached = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('code' in value && 'parameters' in value) reached.add(String(value.code));
      Object.values('parameters' in value ? (value.parameters as object) : value).forEach(collect);
    };
    for (const [, message] of REASONS) collect(message);
    for (const message of [active, employed('A'), debarred('A', 'B'), fined(reasonMessages.fine(), reasonMessages.noDate())])
      collect(message);
    const codes = [...allRows().keys()].filter((code) => code.startsWith('reasons.'));
    expect(codes.filter((code) => !reached.has(code))).toEqual([]);
  });

  it.each([
    'check.match: 1 match on OFAC_SDN (ACME LTDA', // no end
    'check.match: A sentence of a newer version.',
    'check.later: 1 match on OFAC_SDN (ACME LTDA)',
    'check.match: 1 match on LATER_LIST (ACME LTDA)',
    'check.fine: 1 contract fine on MULTAS_SECOP_I (fine by X, no date)', // without the last sentence
    'no reason at all',
    '',
  ])('stays as it is if no message writes it: %j', (stored) => {
    expect(LANGUAGES.map((language) => storedReasonIn(stored, language))).toEqual([stored, stored, stored]);
  });

  it('has no English word in Spanish and Portuguese, besides names', () => {
    for (const [code, message] of REASONS.slice(1)) {
      const stored = `check.${code}: ${message.in('en')}`;
      expect([stored, englishIn(storedReasonIn(stored, 'es')), englishIn(storedReasonIn(stored, 'pt'))]).toEqual([stored, [], []]);
    }
  });
});
