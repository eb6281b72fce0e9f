import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/sources/domains/page-document.ts';
import { readPage } from '../../../src/sources/domains/read-page.ts';
import type { PageCountry } from '../../../src/sources/domains/tax-numbers.ts';

const read = (html: string, country: PageCountry = 'CL') => readPage(readDocument(html), 'https://empresa.cl/', country);
const seen = (html: string, country?: PageCountry) => read(html, country).sightings.map(({ taxId, kind, credit }) => [taxId, kind, credit]);
const jsonLd = (...blocks: readonly string[]) => blocks.map((block) => `<script type="application/ld+json">${block}</script>`).join('');

describe('the tax ids of a page', () => {
  it.each([
    ['in a footer', '<footer>Rentokil Chile SpA | RUT 76.360.903-0 | Derechos</footer>', 'footer'],
    ['in a footer by class', '<div class="site-footer"><p>RUT: 76.360.903-0</p></div>', 'footer'],
    ['in a footer by id', '<div id="pie"><p>RUT: 76.360.903-0</p></div>', 'footer'],
    ['beside a label', '<p>RUT de la empresa N°: 76.360.903-0</p>', 'label'],
    ['beside a label with dots', '<p>R.U.T. 76.360.903-0.</p>', 'label'],
    ['beside a label glued to it', '<p>R.U.T.76.360.903-0</p>', 'label'],
    ['beside a label in words', '<p>Rol Único Tributario 76.360.903-0</p>', 'label'],
    ['before a label in brackets', '<p>76.360.903-0 (RUT)</p>', 'label'],
    ['in the cell after its label', '<table><tr><td>RUT</td><td>76.360.903-0</td></tr></table>', 'label'],
    ['in the line after its label', '<p>RUT:<br>76.360.903-0</p>', 'label'],
    ['split over inline elements', '<p><b>RUT</b> <span>76.360</span><span>.903-0</span></p>', 'label'],
    ['with a dash of another kind', '<p>RUT 76.360.903–0</p>', 'label'],
    ['with a minus sign', '<p>RUT 76.360.903−0</p>', 'label'],
    ['with entities and blanks', '<p>RUT:&nbsp;76.360.903&nbsp;&#8209;&nbsp;0</p>', 'label'],
    ['with invisible characters', '<p>RUT: 76.360.&shy;903-&#8203;0</p>', 'label'],
    ['without dots', '<p>RUT 76360903-0</p>', 'label'],
    ['without a dash', '<p>RUT 763609030</p>', 'label'],
    ['beside a company name alone', '<p>Rentokil Chile SpA, 76.360.903-0</p>', 'unlabelled'],
  ])('are found %s', (_, html, kind) => {
    expect(seen(html)).toEqual([['763609030', kind, false]]);
  });

  it.each([
    ['a wrong check digit', '<p>RUT 76.360.903-1</p>'],
    ['a person', '<p>RUT 15.123.456-0</p><p>RUT 9.876.543-3</p>'],
    ['an example', '<p>RUT 12.345.678-5</p>'],
    ['repeated digits', '<p>RUT 99.999.999-9, RUT 77.777.777-7, RUT 1-9</p>'],
    ['a number without a label or a company', '<p>Pedido 76.360.903-0</p>'],
    ['a number beside a word like a suffix', '<p>Dime, me gusta 76.360.903-0</p>'],
    ['a bare run of digits beside a company', '<p>Rentokil SpA 763609030</p>'],
    ['a longer number', '<p>RUT 176.360.903-0 y 76.360.903-01</p>'],
    ['what is not shown', '<script>var rut = "RUT 76.360.903-0"</script><style>/* RUT 76.360.903-0 */</style>'],
    ['a label far away', `<p>RUT ${'palabra '.repeat(10)} 76.360.903-0</p>`],
  ])('are not found in %s', (_, html) => {
    expect(seen(html)).toEqual([]);
  });

  it.each([
    ['Sitio por Pixel Ltda. RUT 76.371.864-6', true],
    ['Sitio por Pixel Ltda | RUT 76.371.864-6', true],
    ['Diseño y desarrollo web: Pixel RUT 76.371.864-6', true],
    ['Desarrollado por Pixel RUT 76.371.864-6', true],
    ['Hosting: Nube SpA RUT 76.371.864-6', true],
    ['Diseño web. Webúnica EIRL RUT 76.371.864-6', false],
    ['Sitio por Pixel | Panadería SpA RUT 76.371.864-6', false],
    ['Sitio por Pixel · © 2026 Panadería SpA RUT 76.371.864-6', false],
    ['Panadería SpA RUT 76.371.864-6 | Sitio por Pixel', false],
  ])('are marked as credits in a sentence about another company: %s', (text, credit) => {
    expect(seen(`<p>${text}</p>`)).toEqual([['763718646', 'label', credit]]);
  });

  it('are separate mentions on one line', () => {
    expect(seen('<footer>Rentokil SpA RUT 76.360.903-0 - Desarrollado por Pixel RUT 76.371.864-6</footer>')).toEqual([
      ['763609030', 'footer', false],
      ['763718646', 'footer', true],
    ]);
  });

  it('have the line before as context when they are alone on a line', () => {
    expect(seen('<p>Sitio por Pixel Ltda</p><p>RUT 76.371.864-6</p>')).toEqual([['763718646', 'label', true]]);
  });

  it.each([
    ['CNPJ: 11.222.333/0001-81', 'label'],
    ['inscrita no CNPJ/MF sob o nº 11.222.333/0001-81', 'label'],
    ['C.N.P.J. 11222333000181', 'label'],
    ['Padaria Inventada LTDA 11.222.333/0001-81', 'unlabelled'],
    ['CNPJ 11.222.333 / 0001-81', 'label'],
    ['Padaria Inventada ME (11.222.333/0001-81)', 'unlabelled'],
  ])('are CNPJs for Brazil: %s', (text, kind) => {
    expect(seen(`<p>${text}</p>`, 'BR')).toEqual([['11222333000181', kind, false]]);
  });

  it.each(['CNPJ: 6.990.590/0001-23', 'CNPJ 6.990.590 / 0001-23'])('are CNPJs without their first zero: %s', (text) => {
    expect(seen(`<p>${text}</p>`, 'BR')).toEqual([['06990590000123', 'label', false]]);
  });

  it('are no part of a longer number without its first zero', () => {
    expect(seen('<p>CNPJ 116.990.590/0001-23, CNPJ 1.6.990.590/0001-23</p>', 'BR')).toEqual([]);
  });

  it('may have letters for Brazil, and never are CPFs', () => {
    expect(seen('<p>CNPJ 12.ABC.345/01DE-35 e CPF 111.444.777-35</p>', 'BR')).toEqual([['12ABC34501DE35', 'label', false]]);
  });

  it.each([
    ['taxID', '{"@type":"Organization","name":"Spartan","taxID":"76.333.980-7"}'],
    ['vatID with a country', '{"@type":["Corporation"],"vatID":"CL763339807"}'],
    ['identifier', '{"@type":"LocalBusiness","identifier":"76333980-7"}'],
    ['identifier with a property', '{"@type":"Store","identifier":[{"@type":"PropertyValue","propertyID":"RUT","value":"76.333.980-7"}]}'],
    ['@graph', '{"@graph":[{"@type":"WebSite"},{"@type":"Organization","taxID":"76.333.980-7"}]}'],
    ['a list of nodes', '[{"@type":"Organization","taxID":"76.333.980-7"}]'],
    ['a nested node', '{"@type":"WebSite","publisher":{"@type":"Organization","taxID":"76.333.980-7"}}'],
    ['a node without a type', '{"taxID":"76.333.980-7"}'],
    ['a number', '{"@type":"Organization","taxID":763339807}'],
    ['a commented block', '<!-- {"@type":"Organization","taxID":"76.333.980-7"} -->'],
  ])('are found in structured data: %s', (_, json) => {
    expect(seen(jsonLd(json))).toEqual([['763339807', 'structured', false]]);
  });

  it('are marked as credits in structured data about the maker of the page', () => {
    expect(seen(jsonLd('{"@type":"WebSite","creator":{"@type":"Organization","taxID":"76.333.980-7"}}'))).toEqual([
      ['763339807', 'structured', true],
    ]);
  });

  it.each([
    ['a person', '{"@type":"Person","taxID":"76.333.980-7"}'],
    ['a product', '{"@type":"Product","identifier":"76.333.980-7"}'],
    ['a broken block', '{"@type":"Organization","taxID":"76.333.980-7"'],
    ['nothing', 'null'],
    ['an object in place of a text', '{"@type":"Organization","taxID":{"@id":"76.333.980-7"},"identifier":[null]}'],
  ])('are not taken from structured data of %s', (_, json) => {
    expect(seen(jsonLd(json))).toEqual([]);
  });

  it('are found after an invalid block of structured data', () => {
    expect(seen(jsonLd('{', '{"@type":"Organization","taxID":"76.333.980-7"}'))).toEqual([['763339807', 'structured', false]]);
  });

  it.each([
    ['Rentokil SpA, Juana Ficticia RUT 9.876.543-3, Rentokil Chile SpA RUT 76.360.903-0', 'Rentokil Chile SpA RUT 76.360.903-0'],
    ['Juana Ficticia juana@rentokil.cl, RUT 76.360.903-0', 'RUT 76.360.903-0'],
    ['Juana Ficticia +56 9 8765 4321 / Rentokil RUT 76.360.903-0', 'Rentokil RUT 76.360.903-0'],
    ['Juana Ficticia 15123456-0: RUT 76.360.903-0', 'RUT 76.360.903-0'],
  ])('have a snippet of the words around them, without personal data: %s', (text, snippet) => {
    expect(read(`<p>${text}</p>`).sightings[0]?.snippet).toBe(snippet);
  });

  it('have a snippet of limited length', () => {
    const [sighting] = read(`<p>${'palabras '.repeat(80)} RUT 76.360.903-0</p>`).sightings;
    expect(sighting?.snippet).toMatch(/^….{144}RUT 76\.360\.903-0$/);
  });

  it('come with the titles of the page and of the site', () => {
    expect(read('<head><title> Control\n de plagas </title><meta property="og:site_name" content="Rentokil"></head>').title).toBe(
      'Control de plagas Rentokil',
    );
  });

  it('are at most 200', () => {
    expect(seen(`<p>${'RUT 76.360.903-0 '.repeat(300)}</p>`)).toHaveLength(200);
  });

  it('are found in deeply nested and very wide pages', () => {
    const deep = '<div>'.repeat(20_000);
    const wide = '<br>'.repeat(200_000);
    expect(seen(`${wide}${deep}RUT 76.360.903-0`)).toEqual([['763609030', 'label', false]]);
    expect(seen(jsonLd(`${'['.repeat(10_000)}{"taxID":"76.333.980-7"}${']'.repeat(10_000)}`))).toEqual([]);
  });
});
