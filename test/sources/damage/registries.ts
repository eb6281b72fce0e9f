import { rdapSimulator } from '../../../sandbox/upstreams/rdap.ts';
import { receitaFederalSimulator } from '../../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { openCnpjSimulator } from '../../../sandbox/upstreams/receita-federal/opencnpj.ts';
import { brazilianDomains, companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { statusOf } from '../../../src/loaders/taxpayer.ts';
import { rdap } from '../../../src/sources/domains/rdap.ts';
import type { ReceitaCompany } from '../../../src/sources/receita-federal/company.ts';
import { receitaFederal } from '../../../src/sources/receita-federal/receita-federal.ts';
import type { Document } from '../../support/damage.ts';
import type { Subject } from '../../support/damage-oracle.ts';
import { simulated, sourceOver } from './fakes.ts';

const UNKNOWN = '11222333000181';
const judgedCompany = (record: ReceitaCompany | null) => ({
  verdict: `${statusOf({ source: 'receita_federal', record } as never)} ${record?.registration ?? ''}`,
  details: record,
});

/** One company at the registry and its second opinion: `registry` and `second` are their answers. */
function company(name: string, cnpj: string, documents: Readonly<Record<'registry' | 'second', Document>>, decisive?: RegExp): Subject {
  return {
    name,
    documents,
    ...(decisive && { decisive }),
    async read(now) {
      const at = (url: URL): Document => now[url.hostname.includes('fallback') ? 'second' : 'registry'] as Document;
      return { answers: { [cnpj]: judgedCompany(await sourceOver(receitaFederal, at).company(cnpj)) } };
    },
  };
}

/** The registries that are called live, by the answers of their simulators. */
export async function registries(): Promise<readonly Subject[]> {
  const registry = (cnpj: string) => simulated(receitaFederalSimulator, `/${cnpj}`);
  const second = (cnpj: string) => simulated(openCnpjSimulator, `/${cnpj}`);
  const absent = { registry: await registry(UNKNOWN), second: await second(UNKNOWN) };
  const companies = ['clean', 'status-unfit', 'owners-level-1'].map((scenario) => companyByScenario(scenario).cnpj);
  const subjects: Subject[] = [company('receita_federal, an unknown company', UNKNOWN, absent)];
  for (const cnpj of companies) {
    subjects.push(company(`receita_federal ${cnpj}`, cnpj, { registry: await registry(cnpj), second: await second(cnpj) }));
    const onlySecond = { registry: { ...absent.registry, text: absent.registry.text.replace('11.222.333/0001-81', formatted(cnpj)) } };
    subjects.push(company(`OpenCNPJ ${cnpj}`, cnpj, { ...onlySecond, second: await second(cnpj) }, /^situacao_cadastral$/));
  }
  for (const { domain, shows } of brazilianDomains) {
    if (!['company', 'person', 'handle'].includes(shows)) continue;
    const documents = { domain: await simulated(rdapSimulator, `/domain/${domain}`) };
    subjects.push({
      name: `rdap ${domain}`,
      documents,
      decisive: /^identifier$/,
      opaque: /^handle$/,
      async read(now) {
        const found = await sourceOver(rdap, () => now.domain as Document).registrant(domain);
        return { answers: { [domain]: { verdict: holderOf(found), details: 'name' in found && found.name } } };
      },
    });
  }
  return subjects;
}

const formatted = (cnpj: string): string => cnpj.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');

/** A person and a holder without a number are the same to the caller: no company. */
const holderOf = (found: Readonly<{ kind: string; cnpj?: string }>): string =>
  found.cnpj ?? (found.kind === 'none' ? 'not registered' : 'no company');
