import { parse } from 'csv-parse/sync';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { foreignCompanyByScenario } from '../../sandbox/world/foreign-companies.ts';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { sampleText } from '../support/samples.ts';
import { bytesOf, sandboxForFile, unzip } from './support.ts';

const server = sandboxForFile();
const ofac = async (file: string): Promise<string> => (await bytesOf(await server.get(`/ofac_sdn/${file}`))).toString();
const un = async (): Promise<string> => (await server.get('/un_consolidated/consolidated.xml')).text();

/** Every leaf as `path/of/names` and text; throws where the text is not well-formed XML. */
function leaves(xml: string): { readonly at: string; readonly text: string }[] {
  const found: { at: string; text: string }[] = [];
  const open: string[] = [];
  let text = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local }) => {
    open.push(local);
    text = '';
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('closetag', () => {
    if (text.trim() || found.at(-1)?.at !== open.join('/')) found.push({ at: open.join('/'), text });
    open.pop();
    text = '';
  });
  parser.write(xml).close();
  return found;
}

const texts = (xml: string, at: string): string[] => leaves(xml).flatMap((leaf) => (leaf.at === at && leaf.text.trim() ? [leaf.text] : []));
const csv = (text: string): string[][] => parse(text.replace('\x1A', ''), { trim: true, relax_column_count: false });

describe('simulated OFAC SDN', () => {
  it('is XML in the namespace of 2024 that counts its records and states its date', async () => {
    const xml = await ofac('SDN.XML');
    expect(xml).toContain(
      '<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="https://sanctionslistservice.ofac.treas.gov/',
    );
    expect(texts(xml, 'sdnList/publshInformation/Publish_Date')).toEqual(['11/19/2026']);
    expect(texts(xml, 'sdnList/publshInformation/Record_Count')).toEqual([String(texts(xml, 'sdnList/sdnEntry/uid').length)]);
    expect(texts(xml, 'sdnList/sdnEntry/uid')).toHaveLength(35);
  });

  it('has the same content in its zip, and accepts file names in either case', async () => {
    const members = await unzip(await bytesOf(await server.get('/ofac_sdn/sdn_xml.zip')));
    expect([...members].map(([name, bytes]) => [name, bytes.toString()])).toEqual([['SDN.XML', await ofac('SDN.XML')]]);
    expect((await server.get('/ofac_sdn/SDN_XML.ZIP')).headers.get('last-modified')).toBe('Thu, 19 Nov 2026 00:00:00 GMT');
  });

  it('refuses a user agent without the Mozilla/5.0 prefix or without more text', async () => {
    const status = async (agent: string) => (await server.get('/ofac_sdn/SDN.XML', { headers: { 'user-agent': agent } })).status;
    const long = 'quipu/1.0 (a checker of companies; contact us)';
    expect(await Promise.all(['node', 'Mozilla/5.0', `Mozilla/x ${long}`, long, `Mozilla/5.0 ${long}`].map(status))).toEqual([
      403, 403, 403, 403, 200,
    ]);
    expect((await server.get('/ofac_sdn/OTHER.XML')).status).toBe(404);
  });

  it('writes tax ids in several formats', async () => {
    const xml = await ofac('SDN.XML');
    const numbers = texts(xml, 'sdnList/sdnEntry/idList/id/idNumber');
    expect(numbers).toContain(formatCnpj(companyByScenario('sanctioned').cnpj));
    expect(numbers).toContain(formatCnpj(companyByScenario('sanctioned-alphanumeric').cnpj));
    expect(numbers).not.toContain(formatCnpj(companyByScenario('sanctioned-by-branch').cnpj));
    expect(numbers).toContain(foreignCompanyByScenario('co-sanctioned-shared').taxId);
    for (const form of [/^999\d{6}-\d$/, /^999\d{7}$/, /^999\d{6}$/, /^NIT /, /^# GNI/, /^RIF J-/])
      expect(numbers).toContainEqual(expect.stringMatching(form));
    expect(new Set(texts(xml, 'sdnList/sdnEntry/sdnType'))).toEqual(new Set(['Entity', 'Individual', 'Vessel', 'Aircraft']));
    expect(new Set(texts(xml, 'sdnList/sdnEntry/akaList/aka/category'))).toEqual(new Set(['strong', 'weak']));
  });

  it('has an entry without a tax id that has the name of a clean company', async () => {
    const entry = (await ofac('SDN.XML'))
      .split('<sdnEntry>')
      .find((text) => text.includes(`<lastName>${companyByScenario('homonym').name}<`));
    expect(entry).toBeDefined();
    expect(entry).not.toContain('<idList>');
  });

  it('has csv files of ASCII that end in 0x1A, with -0- for null and several programs in a cell', async () => {
    const text = await ofac('SDN.CSV');
    expect([...text].every((char) => char < '\x80')).toBe(true);
    expect(text.endsWith('\r\n\x1A')).toBe(true);
    const rows = csv(text);
    expect(rows.map(([uid]) => uid)).toEqual(texts(await ofac('SDN.XML'), 'sdnList/sdnEntry/uid'));
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([12]));
    expect(rows.find(([, name]) => name === 'OURO DE TOLO MINERACAO LTDA')?.slice(2, 5)).toEqual(['-0-', 'GLOMAG] [SDNTK', '-0-']);
    expect(rows.find(([, , type]) => type === 'individual')?.[1]).toBe('EJEMPLO INVENTADO, Pedro');
  });

  it('has strong aliases in ALT.CSV and weak aliases in the remarks', async () => {
    expect(csv(await ofac('ALT.CSV'))).toContainEqual(['990001', expect.stringMatching(/^\d+$/), 'aka', 'FURA BLOQUEIO', '-0-']);
    expect(await ofac('ALT.CSV')).not.toContain('TRES ESTRELAS');
    expect(await ofac('SDN.CSV')).toContain(`"a.k.a. 'TRES ESTRELAS LTDA'; a.k.a. 'TE'."`);
    expect(csv(await ofac('ADD.CSV'))).toContainEqual(['990002', expect.stringMatching(/^\d+$/), '-0-', 'Cuiaba', 'Brazil', '-0-']);
  });

  it('cuts remarks at 1,000 characters, in the middle of a tax id; the rest is in SDN_COMMENTS.CSV', async () => {
    const [[uid, rest] = []] = csv(await ofac('SDN_COMMENTS.CSV'));
    const cut = csv(await ofac('SDN.CSV')).find(([one]) => one === uid)?.[11] ?? '';
    expect(cut).toHaveLength(1_000);
    expect(cut).toMatch(/NIT # 9\d*$/);
    expect(`${cut}${rest}`).toMatch(/NIT # 999200005-1 \(Colombia\)\.$/);
  });

  it('uses only elements of the real layout and known additions', async () => {
    const real = leaves(sampleText('sanctions/sdn-xml-layout.derived.xml')).map(({ at }) => at);
    const lists = { nationalityList: ['nationality', 'uid', 'country'], dateOfBirthList: ['dateOfBirthItem', 'uid', 'dateOfBirth'] };
    const ofPeople = Object.entries(lists).flatMap(([list, [item, ...fields]]) => [
      list,
      `${list}/${item}`,
      ...fields.map((field) => `${list}/${item}/${field}`),
    ]);
    const others = ['title', 'remarks', 'vesselInfo/callSign', 'vesselInfo/vesselOwner', ...ofPeople];
    const more = others.map((name) => `sdnList/sdnEntry/${name}`);
    const ours = [...new Set(leaves(await ofac('SDN.XML')).map(({ at }) => at))];
    expect(ours.filter((at) => !real.includes(at) && !more.includes(at))).toEqual([]);
  });
});

describe('the simulated UN list', () => {
  it('has people and entities, and the evening before as its date', async () => {
    const xml = await un();
    expect(xml).toContain('dateGenerated="2026-11-20T23:00:00.000Z"');
    expect(texts(xml, 'CONSOLIDATED_LIST/INDIVIDUALS/INDIVIDUAL/DATAID')).toHaveLength(10);
    expect(texts(xml, 'CONSOLIDATED_LIST/ENTITIES/ENTITY/DATAID')).toHaveLength(12);
    expect((await server.get('/un_consolidated/other.xml')).status).toBe(404);
  });

  it('has names in other scripts, two names in one cell, padded references and empty aliases', async () => {
    const xml = await un();
    expect(texts(xml, 'CONSOLIDATED_LIST/ENTITIES/ENTITY/NAME_ORIGINAL_SCRIPT')).toContain('بازار الصحراء المخترعة');
    expect(texts(xml, 'CONSOLIDATED_LIST/ENTITIES/ENTITY/FIRST_NAME')).toContainEqual(expect.stringContaining(') ; '));
    expect(texts(xml, 'CONSOLIDATED_LIST/ENTITIES/ENTITY/REFERENCE_NUMBER')).toContain('KPe.904 ');
    expect(xml).toContain('<ENTITY_ALIAS>\n        <QUALITY/>\n        <ALIAS_NAME/>\n');
    expect(new Set(texts(xml, 'CONSOLIDATED_LIST/INDIVIDUALS/INDIVIDUAL/INDIVIDUAL_ALIAS/QUALITY'))).toEqual(new Set(['Good', 'Low']));
  });

  it('contains the names of two clean companies of the sandbox', async () => {
    const names = texts(await un(), 'CONSOLIDATED_LIST/ENTITIES/ENTITY/FIRST_NAME');
    expect(names).toEqual(expect.arrayContaining([companyByScenario('homonym').name, companyByScenario('homonym-un').name]));
  });

  it('uses only elements of the real list', async () => {
    const real = new Set(sampleText('sanctions/un/elements.txt').split('\n'));
    expect([...new Set(leaves(await un()).map(({ at }) => at))].filter((at) => !real.has(at))).toEqual([]);
  });
});
