import type { Seen } from '../../../src/modules/compliance/domain.ts';
import type { DebarmentEntry } from '../../../src/modules/debarment/sources/entry.ts';
import type { LaborEntry } from '../../../src/modules/labor/source.ts';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import type { ReceitaCompany } from '../../../src/sources/receita-federal/company.ts';
import { built } from '../../harness/built.ts';
import { type Context, type Kept, rootOf, TTL_MS } from './loaders.ts';

const { assessRisk, completeness } =
  await built<typeof import('../../../src/modules/compliance/domain.ts')>('src/modules/compliance/domain');
const { cnpjCheckDigits } = await built<typeof import('../../../src/domain/check-digits.ts')>('src/domain/check-digits');
const { sanctionType } = await built<typeof import('../../../src/modules/debarment/domain.ts')>('src/modules/debarment/domain');

const dateTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

const freshness = (parts: readonly Kept<unknown>[]) => {
  const fetchedAt = Math.min(...parts.map((part) => part.fetchedAt));
  const [dataAsOf = null] = parts.flatMap((part) => part.dataAsOf ?? []).sort();
  return { fetchedAt: dateTime(fetchedAt), dataAsOf, cached: true, stale: false, expiresAt: dateTime(fetchedAt + TTL_MS) };
};

async function check(cnpj: string, context: Context) {
  const [company, sanctions, debarment, labor] = await Promise.all([
    context.company.load(cnpj),
    Promise.all(context.sanctions.map(async ({ name, loader }) => ({ name, kept: await loader.load(cnpj) }))),
    Promise.all(context.debarment.map(async ({ name, loader }) => ({ name, kept: await loader.load(cnpj) }))),
    context.labor.load(cnpj),
  ]);
  const headOffice = headOfficeOf(company.value, cnpj);
  const owned = headOffice ? [company, await context.company.load(headOffice)] : [company];
  // The lists are dated in Brazilian time, UTC−3.
  const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const checks = {
    kyb: kybOf(company),
    owners: ownersOf(owned),
    debarment: {
      records: debarment.flatMap(({ name, kept }) => kept.value.entries.map(({ record }) => debarmentOf(name, record, cnpj, today))),
      sourcesChecked: debarment.map(({ name }) => name),
      freshness: freshness(debarment.map(({ kept }) => kept)),
    },
    sanctions: {
      matches: sanctions.flatMap(({ name, kept }) => kept.value.entries.flatMap(({ record }) => sanctionOf(name, record, cnpj))),
      sourcesChecked: sanctions.map(({ name }) => name),
      lists: sanctions.map(({ name, kept: { value } }) => ({ ...value.version, list: name, loadedAt: dateTime(value.version.loadedAt) })),
      freshness: freshness(sanctions.map(({ kept }) => kept)),
    },
    labor: {
      records: labor.value.entries.map(({ record }) => laborOf(record, cnpj)),
      sourcesChecked: ['TRABALHO_ESCRAVO'],
      freshness: freshness([labor]),
    },
  };
  checks.debarment.records.sort((a, b) => (b.dateStart ?? '').localeCompare(a.dateStart ?? ''));
  return checks;
}

function kybOf(company: Kept<ReceitaCompany | null>) {
  const { value: record } = company;
  const status = record === null ? 'not_found' : record.registration.startsWith('ATIVA') ? 'active' : 'inactive';
  return {
    companyName: record?.legalName ?? null,
    status,
    verified: status === 'active',
    foundedYear: record?.openedOn ? Number(record.openedOn.slice(0, 4)) : null,
    endDate: record?.registration === 'BAIXADA' ? record.registrationSince : null,
    registration: record?.registration ?? null,
    isBranch: record?.isBranch ?? false,
    specialSituation: record?.specialSituation ?? null,
    source: 'RECEITA_FEDERAL',
    freshness: freshness([company]),
  };
}

/** Returns the CNPJ of the head office of a branch without partners in its record, which has the partners; null for every other company. */
function headOfficeOf(record: ReceitaCompany | null, cnpj: string): string | null {
  if (!record?.isBranch || record.partners?.length) return null;
  const root = `${rootOf(cnpj)}0001`;
  return root + cnpjCheckDigits(root);
}

/** @param records the record of the company, and that of its head office if it has the partners */
function ownersOf(records: readonly Kept<ReceitaCompany | null>[]) {
  const record = records.at(-1)?.value ?? null;
  const owners = (record?.partners ?? []).map((partner) => {
    const isCompany = partner.kind === 'company' || (partner.kind === 'foreign' && [37, 57, 79].includes(partner.roleCode ?? 0));
    return {
      name: partner.name,
      role: partner.role,
      entityType: isCompany ? 'COMPANY' : 'INDIVIDUAL',
      identifier: partner.document,
      entryDate: partner.entryDate,
      country: partner.country,
      legalRepName: isCompany ? partner.legalRepName : null,
      legalRepRole: isCompany ? partner.legalRepRole : null,
    };
  });
  const companyName = record?.legalName ?? null;
  return { companyName, count: owners.length, owners, source: 'RECEITA_FEDERAL', freshness: freshness(records) };
}

const debarmentOf = (source: string, entry: DebarmentEntry, cnpj: string, today: string) => ({
  source,
  sanctionType: sanctionType(entry.category),
  sanctioningBody: entry.bodyName,
  dateStart: entry.startsOn,
  dateEnd: entry.endsOn,
  processId: entry.processId,
  fineAmount: source === 'CNEP' && entry.fineBrl !== null ? String(entry.fineBrl) : null,
  status: entry.endsOn !== null && entry.endsOn < today ? 'ended' : 'active',
  matchedOn: entry.document === cnpj ? 'CNPJ' : 'ROOT',
  cnpj: entry.document,
});

function sanctionOf(list: string, record: SanctionsEntry, cnpj: string) {
  const ids = record.taxIds.filter(({ key }) => key === `BR:${rootOf(cnpj)}`);
  const exact = ids.find(({ value }) => value.replaceAll(/\W/g, '') === cnpj);
  const id = exact ?? ids[0];
  if (!id) return [];
  const { uid: entityId, name: entryName, programs } = record;
  return [{ list, entityId, entryName, matchedOn: exact ? 'TAX_ID' : 'ROOT', matchedIdType: id.type, matchedIdValue: id.value, programs }];
}

const laborOf = (entry: LaborEntry, cnpj: string) => ({
  ...entry,
  source: 'TRABALHO_ESCRAVO',
  activity: entry.cnae,
  status: entry.removedOn === null ? 'active' : 'ended',
  matchedOn: entry.document === cnpj ? 'CNPJ' : 'ROOT',
});

/** Returns the five checks of a company, and the risk by the rules of the service. */
export async function complianceOf({ identifier }: { readonly identifier: string }, _: unknown, context: Context) {
  const { kyb, owners, debarment, sanctions, labor } = await check(identifier, context);
  const seen = { kyb, owners, debarment, sanctions, labor } as unknown as Seen;
  const { level, reasons } = assessRisk('BR', seen);
  const upper = (text: string) => text.toUpperCase();
  return {
    riskLevel: upper(level),
    riskReasons: reasons.map((reason) => ({
      ...reason,
      code: upper(reason.code),
      check: upper(reason.check),
      severity: upper(reason.severity),
    })),
    checks: {
      kyb: { ...kyb, status: upper(kyb.status) },
      owners,
      debarment: {
        ...debarment,
        isDebarred: debarment.records.length > 0,
        records: debarment.records.map((record) => ({ ...record, status: upper(record.status) })),
      },
      sanctions: { ...sanctions, isSanctioned: sanctions.matches.length > 0 },
      labor: {
        ...labor,
        hasViolations: labor.records.length > 0,
        records: labor.records.map((record) => ({ ...record, status: upper(record.status) })),
      },
    },
    sourcesFailed: [],
    completeness: upper(completeness('BR', seen)),
    generatedAt: dateTime(Date.now()),
  };
}
