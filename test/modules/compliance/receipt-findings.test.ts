import { expect, it } from 'vitest';
import type { Compliance } from '../../../src/modules/compliance/loader.ts';
import { receiptFindings } from '../../../src/modules/compliance/service/receipt-findings.ts';

it('a receipt has at most one hundred records, with texts of at most 300 characters, and the number of all of them', () => {
  const records = Array.from({ length: 130 }, (_, n) => ({
    id: `CEIS:${n}`,
    source: 'CEIS',
    sanctionType: 'INIDONEIDADE',
    sanctioningBody: 'M'.repeat(9_000),
    dateStart: '2024-01-31',
    dateEnd: null,
    processId: null,
    fineAmount: null,
    status: 'ended',
    matchedOn: 'root',
  }));
  const reasons = [{ check: 'debarment', code: 'record', severity: 'medium' }];
  const { findings, findings_total: total } = receiptFindings({
    country: 'BR',
    risk: { level: 'medium', reasons },
    checks: { debarment: { value: { records } } },
  } as unknown as Compliance);
  expect([findings.length, total]).toEqual([100, 130]);
  expect(findings.map(({ entry_id }) => entry_id)).toEqual(records.slice(0, 100).map(({ id }) => id));
  expect(findings[0]).toMatchObject({ body: 'M'.repeat(300), status: 'ended', matched_on: 'root', entry_name: null });
});
