import { describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Candidate, ChangeRow } from '../../dashboard/api/operations.ts';
import { type Finding, findingsOf } from '../../dashboard/state/findings.ts';
import type { ShownCompany } from '../../dashboard/state/model.ts';
import type { ShownOwner } from '../../dashboard/state/owner-decisions.ts';
import { publisherPage } from '../../dashboard/state/publishers.ts';
import { isPart, type Order, type TimelineParts, timelineOf, unreadPart } from '../../dashboard/state/timeline.ts';

const NOTHING: TimelineParts = { receipts: [], changes: [], registry: [], findings: [], orders: [], candidates: [], owners: [], notes: [] };
const finding: Finding = {
  id: 'r1',
  check: 'DEBARMENT',
  list: 'CEIS',
  what: 'IMPEDIMENTO',
  body: 'A body',
  startsOn: '2020-01-02',
  endsOn: '2022-01-02',
  endText: null,
  amount: null,
  workers: null,
  reference: null,
  status: 'ENDED',
  isOfBranch: false,
  page: null,
};
const order = (date: string | null): Order => ({ id: String(date), date, buyer: 'B', total: { amount: '10', currency: 'BRL' } });
const change = (id: string, observationId: string, detectedAt: string) => ({ id, observationId, detectedAt }) as ChangeRow;
const seen = (parts: Partial<TimelineParts>) => timelineOf({ ...NOTHING, ...parts }).map(({ kind, at }) => [kind, at]);

describe('the timeline of a company', () => {
  it('has the newest event first, whatever its kind, and a day after the moments of that day', () => {
    const note = { id: 'n', text: 'x', writtenBy: 'k', writtenByName: 'k', writtenAt: '2026-11-24T10:00:00Z' };
    const receipt = { id: 'e', verdict: 'LOW', completeness: 'COMPLETE', issuedAt: '2026-11-25T00:00:00Z' } as const;
    const registry = {
      id: 'h',
      field: 'NAME',
      before: 'A',
      after: 'B',
      extractFrom: '2026-10-24',
      extractTo: '2026-11-24',
      partner: null,
    } as const;
    expect(seen({ notes: [note], receipts: [receipt], registry: [registry], findings: [finding] })).toEqual([
      ['verdict', receipt.issuedAt],
      ['note', note.writtenAt],
      ['registry', '2026-11-24'],
      ['entry', '2022-01-02'],
      ['entry', '2020-01-02'],
    ]);
  });

  it('has no end of an entry that is in force, and no entry that the list does not date', () => {
    expect(seen({ findings: [{ ...finding, status: 'ACTIVE', endsOn: '2099-01-01' }] })).toEqual([['entry', '2020-01-02']]);
    expect(seen({ findings: [{ ...finding, status: null, startsOn: null, endsOn: null }] })).toEqual([]);
  });

  it('has the public orders of a year once, at the date of the newest, without those of an unknown date', () => {
    const orders = ['2025-03-01', '2025-07-09', '2024-01-01', null].map(order);
    expect(seen({ orders })).toEqual([
      ['orders', '2025-07-09'],
      ['orders', '2024-01-01'],
    ]);
  });

  it('has a change that two monitors report once', () => {
    const at = '2026-11-24T10:00:00Z';
    expect(seen({ changes: [change('a', 'o', at), change('b', 'o', at)] })).toEqual([['change', at]]);
  });

  it('has the decisions of the account with who decided, when and why', () => {
    const dismissal = {
      id: 'dsm_1',
      reason: 'Another director.',
      dismissedAt: '2026-11-24T10:00:00Z',
      decidedBy: { keyId: 'k', name: 'Ana' },
    };
    const candidate = { list: 'OFAC_SDN', entityId: '1', entryName: 'ACME', dismissal, confirmation: null } as unknown as Candidate;
    expect(timelineOf({ ...NOTHING, candidates: [candidate] })).toMatchObject([
      { kind: 'decision', outcome: 'dismissed', people: { decidedBy: { name: 'Ana' } }, reason: 'Another director.', entryName: 'ACME' },
    ]);
    const owner = { name: 'PEDRO', screening: { candidates: [candidate, { ...candidate, dismissal: null }] } } as unknown as ShownOwner;
    const unscreened = { name: 'JOAO', screening: null } as ShownOwner;
    expect(timelineOf({ ...NOTHING, owners: [owner, unscreened] })).toMatchObject([
      { kind: 'decision', outcome: 'dismissed', ownerName: 'PEDRO', entryName: 'ACME', reason: 'Another director.' },
    ]);
  });
});

const record = {
  id: 'd1',
  source: 'CNEP',
  sanctionType: 'MULTA',
  sanctioningBody: 'CGU',
  dateStart: '2024-01-01',
  dateEnd: null,
  endText: null,
  processId: '1/2',
  reference: null,
  reason: null,
  fineAmount: '1234.5',
  status: 'ACTIVE',
  matchedOn: 'ROOT',
};
const companyWith = (checks: object) => ({ country: 'BR', compliance: { checks } }) as unknown as ShownCompany;

describe('the findings of a company', () => {
  it('have the body, the dates, the amount and the page of the publisher', () => {
    const [found, ...others] = findingsOf(companyWith({ debarment: { records: [record] } }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      list: 'CNEP',
      what: 'MULTA',
      body: 'CGU',
      startsOn: '2024-01-01',
      amount: { value: '1234.5', currency: 'BRL' },
      reference: '1/2',
      isOfBranch: true,
      page: expect.stringMatching(/^https:\/\/portaldatransparencia\.gov\.br/),
    });
  });

  it('are those of sanctions first, and none of a check that failed', () => {
    const match = {
      id: 'm',
      list: 'OFAC_SDN',
      entityId: '990040',
      entryName: 'ACME',
      programs: ['X'],
      measures: [],
      startsOn: null,
      endsOn: null,
    };
    const found = findingsOf(companyWith({ debarment: { records: [record] }, labor: null, sanctions: { matches: [match] } }));
    expect(found.map(({ check }) => check)).toEqual(['SANCTIONS', 'DEBARMENT']);
    expect(found[0]?.page).toBe('https://sanctionssearch.ofac.treas.gov/Details.aspx?id=990040');
  });

  it('have the fines of a Colombian company with their one date, and the page of the procedure or of the list', () => {
    const fine = {
      id: 'f',
      source: 'MULTAS_SECOP_I',
      entity: 'MUNICIPIO',
      kind: null,
      amount: '1000',
      resolution: 'R-1',
      date: '2025-02-03',
      contract: 'C-1',
      processUrl: null,
    };
    const online = { ...fine, id: 'g', source: 'MULTAS_SECOP_II', kind: 'Multa', date: null, processUrl: 'https://example.invalid/1' };
    const found = findingsOf(companyWith({ contractFines: { records: [fine, online] } }));
    expect(found).toMatchObject([
      { check: 'CONTRACT_FINES', what: '', body: 'MUNICIPIO', startsOn: '2025-02-03', endsOn: null, reference: 'R-1 · C-1' },
      { what: 'Multa', startsOn: null, page: 'https://example.invalid/1' },
    ]);
    expect(found[0]).toMatchObject({ amount: { value: '1000', currency: 'COP' }, page: 'https://www.datos.gov.co/d/4n4q-k399' });
    expect(timelineOf({ ...NOTHING, findings: found }).map(({ at }) => at)).toEqual(['2025-02-03']);
  });

  it('have the tax debt of a Chilean company, also without an amount', () => {
    const taxHealth = { riskSignals: ['TAX_DEBTOR'], taxDebtAmount: null, taxDebtAsOf: '2026-10-01' };
    expect(findingsOf(companyWith({ taxHealth }))).toMatchObject([
      { list: 'TAX_DEBTORS_CL', amount: null, startsOn: '2026-10-01', page: null },
    ]);
  });
});

describe('the page of a publisher', () => {
  it('has no part of an address that a list could choose', () => {
    expect(publisherPage('OFAC_SDN', '1&x=javascript:alert(1)')).toBe('https://sanctionssearch.ofac.treas.gov');
    expect(publisherPage('CEIS', '"><script>')).toBe('https://portaldatransparencia.gov.br/sancoes/consulta');
    expect(publisherPage('TAX_DEBTORS_CL')).toBeNull();
  });
});

describe('the parts of a timeline', () => {
  it('are not read completely if one failed, but if the key has no module for one', () => {
    const noModule = new QuipuError('MODULE_NOT_ENABLED', 'no module');
    const failed = new QuipuError('INTERNAL', 'failed');
    expect(unreadPart([null, noModule, failed])).toBe(failed);
    expect(unreadPart([null, noModule])).toBeNull();
  });
});

it('a timeline says that older events are missing if one of its lists has more than was read', () => {
  const [all, part] = [false, true].map((hasNextPage) => ({ pageInfo: { hasNextPage } }));
  expect([isPart([all, null, undefined]), isPart([all, part]), isPart([])]).toEqual([false, true, false]);
});
