import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_MEANINGS } from '../../sandbox/server/faults.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { chileanCompanies } from '../../sandbox/world/chile/world.ts';
import { colombianCompanies } from '../../sandbox/world/colombia.ts';
import { foreignCompanies } from '../../sandbox/world/foreign-companies.ts';
import { sites } from '../../sandbox/world/sites.ts';
import { formatTaxId } from '../../src/domain/company.ts';

const read = (name: string): string => readFileSync(path.resolve(import.meta.dirname, '../../docs', name), 'utf8');

/** The lines between `<!-- name -->` and `<!-- /name -->`. */
const section = (name: string, page = read('sandbox.md')): string =>
  page.split(`<!-- ${name} -->\n`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
const table = (rows: readonly (readonly string[])[]): string => rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
const rule = (columns: number): string[] => Array.from({ length: columns }, () => '---');

describe('docs/sandbox.md', () => {
  it('lists every Brazilian company of the sandbox', () => {
    const rows = companies.map(({ scenario, cnpj, name, note }) => [
      `\`${scenario}\``,
      formatTaxId({ country: 'BR', taxId: cnpj }),
      name,
      note,
    ]);
    expect(section('companies')).toBe(table([['Scenario', 'CNPJ', 'Name', 'What it shows'], rule(4), ...rows]));
  });

  it('lists the companies of other countries', () => {
    const rows = foreignCompanies.map(({ scenario, country, taxId, name, note }) => [
      `\`${scenario}\``,
      country,
      formatTaxId({ country, taxId }),
      name,
      note,
    ]);
    expect(section('foreignCompanies')).toBe(table([['Scenario', 'Country', 'Tax id', 'Name', 'What it shows'], rule(5), ...rows]));
  });

  it('lists the companies of Chile and Colombia, and the websites', () => {
    const chile = chileanCompanies.map(({ scenario, rut, name, note }) => [
      `\`${scenario}\``,
      formatTaxId({ country: 'CL', taxId: rut }),
      name,
      note,
    ]);
    const colombia = colombianCompanies.map(({ scenario, nit, name, note }) => [
      `\`${scenario}\``,
      formatTaxId({ country: 'CO', taxId: nit }),
      name,
      note,
    ]);
    const web = sites.map(({ domain, note }) => [`\`${domain}\``, note]);
    expect(section('chileanCompanies')).toBe(table([['Scenario', 'RUT', 'Name', 'What it shows'], rule(4), ...chile]));
    expect(section('colombianCompanies')).toBe(table([['Scenario', 'NIT', 'Name', 'What it shows'], rule(4), ...colombia]));
    expect(section('sites')).toBe(table([['Domain', 'What the site shows'], rule(2), ...web]));
  });

  it('lists every failure mode', () => {
    const rows = Object.entries(FAULT_MEANINGS).map(([mode, meaning]) => [`\`${mode}\``, meaning]);
    expect(section('modes')).toBe(table([['Mode', 'What a client sees'], rule(2), ...rows]));
  });
});

describe('docs/data-sources.md', () => {
  it('names every simulated upstream', () => {
    const upstreams = section('upstreams', read('data-sources.md'));
    expect(simulators.filter(({ name }) => !upstreams.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
