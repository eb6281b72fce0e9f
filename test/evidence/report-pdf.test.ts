import { describe, expect, it } from 'vitest';
import { qrCode } from '../../src/evidence/qr-code.ts';
import type { PublicKey, Receipt, ReceiptFinding } from '../../src/evidence/receipt.ts';
import { receiptPdf } from '../../src/evidence/receipt-pdf.ts';
import { reportPdf } from '../../src/evidence/report-pdf.ts';
import { canonical, findFault, seal, signingKeyOf } from '../../src/evidence/seal.ts';
import { nextSlice } from '../../src/scheduling/slices.ts';
import { expectShortTurns } from '../support/longest-turn.ts';
import { attachmentOf, rectanglesOf, textOf } from '../support/pdf.ts';

const key = signingKeyOf(Buffer.alloc(32, 7).toString('base64'));
const READER = { language: 'en', timeZone: 'UTC' } as const;

/** A receipt as earlier versions wrote it. */
const EARLIER: Receipt = {
  version: 1,
  id: 'evd_2c918a55066041649ee7253cb5633386',
  account: 'afbf9929-3e2b-45c2-8a73-70fda6b02453',
  sequence: 1,
  previous_hash: null,
  issued_at: '2026-11-22T21:56:06+00:00',
  request_id: 'bed4543c-1728-41f8-bdfe-d339a9227264',
  api_key: '896817cd-a724-412a-8f32-f653673712b4',
  company: { country: 'BR', identifier: '99030001000146' },
  verdict: {
    risk_level: 'medium',
    completeness: 'complete',
    risk_reasons: [
      'debarment.record: 1 record on CEIS (INIDONEIDADE by Ministério dos Exemplos, active)',
      'kyb.inactive: Closed (BAIXADA).',
    ],
    sources_failed: [],
    generated_at: '2026-11-22T21:56:06+00:00',
  },
  sources: [],
};

const penalty = (n: number): ReceiptFinding => ({
  check: 'debarment',
  code: 'record',
  source: 'CEIS',
  entry_id: `rec_${n}.`,
  entry_name: null,
  detail: 'INIDONEIDADE',
  body: `Ministério ${n} dos Exemplos `.repeat(8).trim(),
  process_id: `${n}/2020-`.repeat(40),
  amount: 1234.5,
  starts_on: '2020-01-31',
  ends_on: null,
  status: 'active',
  matched_on: 'root',
});

describe('a receipt of an earlier version', () => {
  it('verifies in one chain with a receipt that has the company and its records', () => {
    const earlier = seal(EARLIER, key);
    const place = { sequence: 2, previous_hash: earlier.content_hash };
    const company = { ...EARLIER.company, name: 'ACME LTDA', status: 'active' } as const;
    const now = seal({ ...EARLIER, ...place, company, findings: [penalty(1)], findings_total: 1, owners: null }, key);
    const published: PublicKey = {
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid: key.id,
      x: key.publicKey,
      created_at: EARLIER.issued_at,
      retired_at: null,
    };
    expect(findFault([earlier, now], [published])).toBeNull();
    const renamed = { ...now, receipt: { ...now.receipt, company: { ...company, name: 'ACME SA' } } };
    expect(findFault([earlier, renamed], [published])).toMatchObject({ fault: 'changed' });
  });
});

describe('a report as PDF', () => {
  it('has one hundred records over many pages, each of which is numbered, and says how many are not in the receipt', async () => {
    const findings = Array.from({ length: 100 }, (_, n) => penalty(n));
    const pdf = await reportPdf(seal({ ...EARLIER, findings, findings_total: 103 }, key), READER, nextSlice);
    const text = textOf(pdf).replaceAll(/\s+/g, ' ');
    for (const { entry_id } of findings) expect(text).toContain(entry_id);
    expect(text).toContain('Records found: 103');
    expect(text).toContain('Further records that are not in the receipt: 3');
    const pages = [...text.matchAll(/evd_2c918a55066041649ee7253cb5633386 · (\d+) \/ (\d+)/g)].map(([, page, of]) => [page, of]);
    expect(pages.length).toBeGreaterThan(10);
    expect(pages).toEqual(pages.map((_, i) => [`${i + 1}`, `${pages.length}`]));
  });

  it('is written in parts, so that other requests run in between', async () => {
    const sealed = seal({ ...EARLIER, findings: Array.from({ length: 100 }, (_, n) => penalty(n)), findings_total: 100 }, key);
    await reportPdf(sealed, READER, nextSlice);
    await expectShortTurns('report of 100 records', () => reportPdf(sealed, READER, nextSlice), 90);
  });

  it('prints letters of other scripts visibly as "?", and wraps a name without blanks', async () => {
    const name = `${'Ж中'.repeat(3)} ${'Y'.repeat(480)} Ação\u0301`;
    const sealed = seal({ ...EARLIER, company: { ...EARLIER.company, name, status: 'active' } }, key);
    for (const [pdf, times] of [
      [await reportPdf(sealed, READER, nextSlice), 2],
      [await receiptPdf(sealed, { language: 'pt', timeZone: 'UTC' }), 1],
    ] as const) {
      const text = textOf(pdf);
      expect(text).toContain('??????');
      expect((text.match(/Y{4,}/g) ?? []).join('')).toHaveLength(480 * times);
    }
  });

  it('has a QR code with the id, the hash, the key and the signature of the receipt, upright and complete', async () => {
    const sealed = seal(EARLIER, key);
    const { content_hash, key_id, signature } = sealed;
    const rows = qrCode(canonical({ id: EARLIER.id, content_hash, key_id, signature }));
    const [size, side] = [rows.length, 120 / rows.length];
    const modules = rectanglesOf(await reportPdf(sealed, READER, nextSlice)).filter(({ height }) => Math.abs(height - side) < 0.001);
    const top = Math.min(...modules.map(({ y }) => y));
    const drawn = Array.from({ length: size }, () => '0'.repeat(size));
    for (const { x, y, width } of modules) {
      const [row, from, length] = [(y - top) / side, (x - 50) / side, width / side].map(Math.round) as [number, number, number];
      const before = drawn[row] ?? '';
      drawn[row] = before.slice(0, from) + '1'.repeat(length) + before.slice(from + length);
    }
    expect(drawn).toEqual(rows);
    // The finder patterns are in all corners but the lower right one.
    const corner = (row: string | undefined) => [row?.slice(0, 8), row?.slice(-8)];
    expect([corner(rows[0]), corner(rows.at(-1))]).toEqual([
      ['11111110', '01111111'],
      ['11111110', expect.not.stringMatching(/^01111111$/)],
    ]);
  });

  it('of a receipt of an earlier version has the kinds of its reasons, in the language of the reader', async () => {
    const text = textOf(await reportPdf(seal(EARLIER, key), { language: 'es', timeZone: 'UTC' }, nextSlice)).replaceAll(/\s+/g, ' ');
    for (const part of [
      '1. Sanción o inhabilitación para contratar con el Estado · CEIS',
      '2. Situación registral no activa',
      '99.030.001/0001-46',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/ by |record on/);
  });

  const register = {
    check: 'owners',
    source: 'rues',
    outcome: 'answered',
    answered_at: EARLIER.issued_at,
    data_as_of: null,
    list_version: null,
    checksum: null,
    answer_digest: null,
  } as const;
  const colombian = { country: 'CO', identifier: '9009647055', name: 'OBRAS SAS', status: 'active' } as const;

  it('has the date of a fine without an end, because a fine does not last', async () => {
    const fine = { ...penalty(1), check: 'contract_fines', code: 'fine', source: 'MULTAS_SECOP_I', status: null } as const;
    const sealed = seal({ ...EARLIER, company: colombian, findings: [fine], findings_total: 1 }, key);
    const text = textOf(await reportPdf(sealed, { language: 'es', timeZone: 'UTC' }, nextSlice)).replaceAll(/\s+/g, ' ');
    expect(text).toContain('Período 31 ene 2020 Encontrado por');
    expect(text).not.toContain('sin fin indicado');
  });

  it('of a Colombian company has its legal representative in place of owners', async () => {
    const owners = { total: 1, to_review: 1, by_tax_id: 0, not_compared: 0 };
    const sealed = seal({ ...EARLIER, company: colombian, owners, sources: [register] }, key);
    const text = textOf(await reportPdf(sealed, { language: 'es', timeZone: 'UTC' }, nextSlice)).replaceAll(/\s+/g, ' ');
    for (const part of [
      'Representantes legales por revisar: 1 de 1.',
      'Los socios no se publican',
      'Representante legal · Registro mercantil',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('Socios por revisar');
    expect(textOf(await receiptPdf(sealed, { language: 'pt', timeZone: 'UTC' })).replaceAll(/\s+/g, ' ')).toContain(
      'Representante legal · Registro mercantil',
    );
  });

  it.each([
    ['en', '22 Nov 2026, 18:56:06 (America/Sao_Paulo) · 22 Nov 2026, 21:56:06 (UTC)', 'data as of 20 Nov 2026'],
    ['es', '22 nov 2026, 18:56:06 (America/Sao_Paulo) · 22 nov 2026, 21:56:06 (UTC)', 'datos del 20 nov 2026'],
    ['pt', '22 de nov. de 2026, 18:56:06 (America/Sao_Paulo) · 22 de nov. de 2026, 21:56:06 (UTC)', 'dados de 20 de nov. de 2026'],
  ] as const)(
    'is printed as a receipt with times of the form of the report, in %s, and the same receipt is attached',
    async (language, time, day) => {
      const sealed = seal({ ...EARLIER, sources: [{ ...register, data_as_of: '2026-11-20' }] }, key);
      const pdf = await receiptPdf(sealed, { language, timeZone: 'America/Sao_Paulo' });
      const text = textOf(pdf).replaceAll(/\s+/g, ' ');
      expect(text.split(time)).toHaveLength(4); // issued, checked, and the answer of the source
      expect(text).toContain(day);
      expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/);
      expect(attachmentOf(pdf)).toBe(canonical(sealed));
    },
  );
});
