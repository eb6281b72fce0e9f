import { describe, expect, it } from 'vitest';
import { type DomainKey, parseDomain } from '../../../src/sources/domains/domain.ts';
import { readSite } from '../../../src/sources/domains/read-site.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';
import { testSites } from '../website/sites.ts';

const TWO_MIB = 2 * 1024 * 1024;
const filled = (piece: string, beginning = '', end = '') =>
  beginning + piece.repeat(Math.floor((TWO_MIB - beginning.length - end.length) / piece.length)) + end;
const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

/** Pages of 2 MiB, the most that is read, each with the piece that takes some part of the reader longest. */
const PAGES: Readonly<Record<string, string>> = {
  'links with character references': filled('<a href=&>&</a>'),
  'classes with character references': filled('<p class=&>'),
  'names with character references': filled('<meta property=og:site_name content=&>'),
  'character references': filled('&amp;'),
  'legal links': filled('<a href=/legal?1>legal</a>'),
  'lines with a tax id': filled('<p>RUT 76.354.771-K'),
  'one line of tax ids': filled('RUT 76.354.771-K '),
  'one line of digits': filled('7'),
  'ligatures that grow': filled('\ufdfa'),
  tags: filled('<p>'),
  'open comments': filled('<!--'),
  'an organisation with a long name and many ids': jsonLd({
    '@type': 'Organization',
    name: 'x'.repeat(100_000),
    taxID: Array.from({ length: 8_000 }, () => '76354771-K'),
  }),
  'blocks of structured data': filled(jsonLd({ '@type': 'Organization', name: 'x', taxID: '76354771-K' })),
  'nested structured data': `<script type="application/ld+json">${'[{"a":'.repeat(40_000)}0${'}]'.repeat(40_000)}</script>`,
};

const key: DomainKey = parseDomain('sitio.cl');

describe('a hostile page', () => {
  it.each(Object.keys(PAGES))('with %s holds the event loop for a short time only', async (name) => {
    const { website } = await testSites({
      'sitio.cl/': { body: Buffer.from(PAGES[name] ?? '') },
      'sitio.cl/contacto': '<footer>Sitio SpA, RUT 76.354.771-K</footer>',
    });
    await expectShortTurns(`owner of a domain, ${name}`, async () => {
      expect(await readSite(website, key, 'CL')).toMatchObject({ outcome: 'read' });
    });
  });
});
