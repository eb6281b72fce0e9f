import { describe, expect, it } from 'vitest';
import { formatRut } from '../../../src/domain/tax-id.ts';
import { chooseOwner } from '../../../src/sources/domains/choose.ts';
import { readDocument } from '../../../src/sources/domains/page-document.ts';
import { readPage } from '../../../src/sources/domains/read-page.ts';
import { sampleJson } from '../../support/samples.ts';

interface Case {
  readonly domain: string;
  readonly html: string;
  readonly expected: { readonly rut?: string | null };
}

const cases = (sampleJson('email-tech/taxid_pages_constructed.json').pages as Case[]).filter(({ expected }) => 'rut' in expected);

describe('pages built around real footers', () => {
  it('lead to the expected company, or to none', () => {
    const read = cases.map(({ domain, html }) => {
      const page = readPage(readDocument(html), `https://${domain}/`, 'CL');
      return [domain, chooseOwner([page], 'example.cl', 'CL', new Map()).company?.taxId ?? null];
    });
    expect(read).toEqual(cases.map(({ domain, expected }) => [domain, expected.rut?.replace('-', '') ?? null]));
    expect(formatRut(String(read[0]?.[1]))).toBe('76.360.903-0');
  });
});
