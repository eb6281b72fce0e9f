import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import type { SealedReceipt } from '../../src/evidence/receipt.ts';
import { REPORT_TEXTS } from '../../src/evidence/report-languages.ts';
import { findFault } from '../../src/evidence/seal.ts';
import { sourceNameIn } from '../../src/messages/source-names.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { englishIn } from '../support/english.ts';
import { attachmentOf, textOf } from '../support/pdf.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const LANGUAGES = ['en', 'es', 'pt'] as const;

let app: TestApp;
beforeAll(async () => {
  const env = { QUIPU_PLANS: JSON.stringify({ standard: { compliance_br: { rate: null }, compliance: { rate: null } } }) };
  app = await testApp({ env, now: () => Date.parse('2026-11-22T02:30:00Z') });
});
afterAll(() => app.close());

const get = (url: string) => app.server.inject({ url, headers: { 'x-api-key': app.key } });
const issue = async (scenario: string): Promise<SealedReceipt> =>
  (await app.post('/v1/compliance-br', { cnpj: cnpj(scenario), receipt: true })).body.evidence;
/** One receipt for each scenario while both mirrors of the registry fail. Repeated failures would open their circuit breakers. */
const withoutRegistry = new Map<string, SealedReceipt>();
async function issueWithoutRegistry(scenario: string): Promise<SealedReceipt> {
  for (const mirror of ['receita_federal', 'opencnpj']) app.sandbox?.faults.set(mirror, { mode: 'html_404' });
  const sealed = withoutRegistry.get(scenario) ?? (await issue(scenario));
  withoutRegistry.set(scenario, sealed);
  app.sandbox?.faults.clear();
  return sealed;
}
const pdfOf = async ({ receipt }: SealedReceipt, query = ''): Promise<Buffer> =>
  (await get(`/v1/evidence/${receipt.id}?format=report${query}`)).rawPayload;
/** One receipt for each kind of reason, of companies of every country. */
async function issuedEverywhere(): Promise<readonly SealedReceipt[]> {
  const sealed: SealedReceipt[] = [];
  for (const scenario of ['sanctioned', 'debarred-both', 'labor-listed', 'status-closed', 'unknown', 'clean'])
    sealed.push(await issue(scenario));
  const others = [
    ...['cl-debtor', 'cl-ended', 'cl-unknown'].map((one) => ({ country: 'CL', identifier: chileanByScenario(one).rut })),
    ...['co-fined', 'co-not-renewed', 'co-branch-left', 'co-consortium'].map((one) => ({
      country: 'CO',
      identifier: colombianByScenario(one).nit,
    })),
  ];
  for (const company of others) sealed.push((await app.post('/v1/compliance', { ...company, receipt: true })).body.evidence);
  return sealed;
}

/** A hash, a signature or a part of one, whose letters may be an English word by chance. */
const SEAL = /(?<!\S)(?:\S{30,}|\S*[\d+/=]\S*)(?!\S)/g;

/** Removes from a text the names that a receipt has, because a name of a company may be English, and its hashes and signature. */
const withoutNames = (text: string, { receipt: { company, findings = [] } }: SealedReceipt): string =>
  [company.name, ...findings.flatMap(({ entry_name, detail, body }) => [entry_name, detail, body])]
    .reduce<string>((rest, name) => (name ? rest.replaceAll(name, ' ') : rest), text)
    .replaceAll(SEAL, ' ');

/** The text of a report in one line, because names and sentences wrap. */
const reportOf = async (sealed: SealedReceipt, query = ''): Promise<string> => textOf(await pdfOf(sealed, query)).replaceAll(/\s+/g, ' ');

describe('a receipt', () => {
  it('names the company, its status, the key, and the records that the verdict relies on', async () => {
    const { receipt } = await issue('sanctioned');
    const { name } = companyByScenario('sanctioned');
    expect(receipt).toMatchObject({ version: 1, api_key_name: 'test', company: { name, status: 'active' } });
    const { body } = await app.post('/v1/compliance-br', { cnpj: cnpj('sanctioned') });
    expect(receipt.findings).toEqual(
      body.checks.sanctions.matches.map((match: Record<string, unknown>) =>
        expect.objectContaining({
          check: 'sanctions',
          code: 'match',
          source: match.list_name,
          entry_id: match.uid,
          entry_name: match.entry_name,
        }),
      ),
    );
    expect(receipt.findings_total).toBe(receipt.findings?.length);
  });

  it('has the body, the proceeding, the dates and the state of penalties', async () => {
    const { receipt } = await issue('debarred-both');
    const { records } = (await app.post('/v1/compliance-br', { cnpj: cnpj('debarred-both') })).body.checks.debarment;
    expect(records.length).toBeGreaterThan(1);
    expect(receipt.findings).toEqual(
      records.map((record: Record<string, unknown>) =>
        expect.objectContaining({
          source: record.source,
          entry_id: expect.stringMatching(/^C[A-Z]+:\d+:/),
          detail: record.sanction_type,
          body: record.sanctioning_body,
          process_id: record.process_id,
          starts_on: record.date_start,
          ends_on: record.date_end,
          status: record.status,
        }),
      ),
    );
  });

  it('counts the owners as GraphQL does, and names none of them', async () => {
    const sealed = await issue('owners-listed');
    const query =
      'query ($id: String!) { company(identifier: $id) { owners { owners { name } } compliance { ownersToReview { total byTaxId notCompared owners } } } }';
    const { compliance, owners } = (await app.query(query, { id: cnpj('owners-listed') })).body.data.company;
    const { total: to_review, byTaxId: by_tax_id, notCompared: not_compared, owners: total } = compliance.ownersToReview;
    expect(to_review).toBeGreaterThan(0);
    expect(sealed.receipt.owners).toEqual({ total, to_review, by_tax_id, not_compared });
    const text = JSON.stringify(sealed) + (await reportOf(sealed));
    expect(owners.owners.length).toBeGreaterThan(0);
    for (const { name } of owners.owners) expect(text).not.toContain(name);
  });
});

describe('the report of a receipt', () => {
  it.each(LANGUAGES)('has in %s the level, every record, every source that failed and who asked', async (language) => {
    const sealed = await issueWithoutRegistry('sanctioned-by-branch');
    const { receipt } = sealed;
    expect(receipt.verdict).toMatchObject({ risk_level: 'high', completeness: 'partial', sources_failed: ['kyb', 'owners'] });
    const text = await reportOf(sealed, `&language=${language}`);
    const texts = REPORT_TEXTS[language];
    for (const expected of [texts.title, texts.levels.high, texts.notComplete, 'test', receipt.id]) expect(text).toContain(expected);
    expect(receipt.findings?.length).toBeGreaterThan(0);
    for (const { entry_id, entry_name } of receipt.findings ?? [])
      for (const part of [`${entry_name}`, `${entry_id}`]) expect(text).toContain(part);
    const registry = sourceNameIn('receita_federal', language);
    expect(text).toContain(`${texts.unread} ${texts.checks.kyb} · ${registry} ${texts.checks.owners} · ${registry}`);
  });

  it.each(LANGUAGES)('says in %s what each check found', async (language) => {
    const sealed = await issue('debarred-both');
    const text = await reportOf(sealed, `&language=${language}`);
    const texts = REPORT_TEXTS[language];
    for (const { source, detail, body, process_id } of sealed.receipt.findings ?? [])
      for (const expected of [`${texts.codes.record} · ${source}`, `${detail}`, `${body}`, ...(process_id ? [process_id] : [])])
        expect(text).toContain(expected);
    expect(text).toContain(companyByScenario('debarred-both').name);
    expect(text).toContain(`${texts.unread} ${texts.allRead}`);
  });

  it.each(['es', 'pt'] as const)('has no English sentence in %s, and the printed receipt has none', async (language) => {
    for (const sealed of await issuedEverywhere()) {
      const receipt = textOf((await get(`/v1/evidence/${sealed.receipt.id}?format=pdf&language=${language}`)).rawPayload);
      const report = await reportOf(sealed, `&language=${language}&time_zone=America/Bogota`);
      for (const text of [report, receipt.replaceAll(/\s+/g, ' ')]) {
        for (const reason of sealed.receipt.verdict.risk_reasons) expect(text).not.toContain(reason.slice(reason.indexOf(': ') + 2));
        const own = withoutNames(text, sealed);
        expect(englishIn(own)).toEqual([]);
        expect(own.match(/\b(the|was|is|and|with|records?|not|company|read at|tax|owners|sanctions|labor)\b/gi)).toBeNull();
      }
    }
  });

  it.each(LANGUAGES)('of a low that is not complete says so in %s, and does not call it a low risk', async (language) => {
    const sealed = await issueWithoutRegistry('clean-small');
    expect(sealed.receipt.verdict).toMatchObject({ risk_level: 'low', completeness: 'partial' });
    const text = await reportOf(sealed, `&language=${language}`);
    const { lowSoFar, notComplete, noFindings, noFindingsSoFar, levels } = REPORT_TEXTS[language];
    for (const expected of [lowSoFar, notComplete, noFindingsSoFar]) expect(text).toContain(expected);
    for (const wrong of [levels.low, noFindings]) expect(text).not.toContain(wrong);
    expect(text).not.toMatch(/clean(?!-)|limpi?a/i);
  });

  it('of a complete low has its level, and that it is no clearance', async () => {
    const text = await reportOf(await issue('clean'));
    for (const part of ['Low risk · Complete', 'Records found: 0', REPORT_TEXTS.en.noFindings, REPORT_TEXTS.en.noClearance])
      expect(text).toContain(part);
  });

  it('has times in the zone of the reader beside UTC, and UTC alone without a zone', async () => {
    const sealed = await issue('clean');
    expect(await reportOf(sealed, '&time_zone=america/sao_paulo')).toContain(
      'Checked at 21 Nov 2026, 23:30:00 (America/Sao_Paulo) · 22 Nov 2026, 02:30:00 (UTC)',
    );
    const text = await reportOf(sealed);
    expect(text).toContain('Checked at 22 Nov 2026, 02:30:00 (UTC)');
    expect(text).not.toContain('America');
  });

  it.each(['+03:00', 'Mars/Olympus', '', 'x'.repeat(65), '../etc', 'UTC%20'])('is refused for the time zone %s', async (zone) => {
    const { receipt } = await issue('clean');
    const answer = await get(`/v1/evidence/${receipt.id}?format=report&time_zone=${encodeURIComponent(zone)}`);
    expect([answer.statusCode, answer.json()]).toMatchObject([422, { code: 'invalid_input', errors: [{ field: 'time_zone' }] }]);
  });

  it('has the receipt attached, which verifies, and its hash and signature in the appendix', async () => {
    const sealed = await issue('sanctioned');
    const pdf = await pdfOf(sealed);
    expect(JSON.parse(attachmentOf(pdf))).toEqual(sealed);
    const { keys } = (await get('/.well-known/quipu-evidence-keys')).json();
    expect(findFault([JSON.parse(attachmentOf(pdf))], keys)).toBeNull();
    const text = textOf(pdf);
    for (const part of [sealed.content_hash, sealed.key_id, sealed.receipt.request_id, sealed.receipt.account])
      expect(text).toContain(part);
    expect(text.replaceAll('\n', '')).toContain(sealed.signature);
    const { headers } = await get(`/v1/evidence/${sealed.receipt.id}?format=report`);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${sealed.receipt.id}-report.pdf"`,
    });
  });

  it('of a Chilean tax debtor has the debt, and of an account that has no such receipt is 404', async () => {
    const body = { identifier: chileanByScenario('cl-debtor').rut, country: 'CL', receipt: true };
    const sealed: SealedReceipt = (await app.post('/v1/compliance', body)).body.evidence;
    const amount = sealed.receipt.findings?.[0]?.amount ?? 0;
    expect(amount).toBeGreaterThan(0);
    expect(await reportOf(sealed, '&language=es')).toContain(`CLP ${amount.toLocaleString('es')}`);
    expect((await get('/v1/evidence/evd_1?format=report')).statusCode).toBe(404);
  });

  it('is printed 120 times a minute for a key, and its receipt is read as JSON at any rate', async () => {
    const { receipt } = await issue('clean');
    const ask = async (format: string) => (await get(`/v1/evidence/${receipt.id}?format=${format}`)).statusCode;
    let status = 200;
    for (let i = 0; i <= 120 && status === 200; i += 1) status = await ask('pdf');
    expect([status, await ask('report'), await ask('json')]).toEqual([429, 429, 200]);
  });
});
