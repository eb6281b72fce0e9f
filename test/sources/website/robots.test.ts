import { describe, expect, it } from 'vitest';
import { readRobots } from '../../../src/sources/website/robots.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';
import { testSites } from './sites.ts';

const verdict = (text: string, path: string) => readRobots(text).verdict(new URL(path, 'http://sitio.cl'));
const forAll = (...rules: string[]) => ['User-agent: *', ...rules].join('\n');

describe('the rules of a robots.txt', () => {
  // Examples of RFC 9309, sections 2.2.1 to 2.2.3 and 5.
  it.each([
    [forAll('Disallow: *.gif$', 'Disallow: /example/', 'Allow: /publications/'), '/a/b.gif', 'disallowed'],
    [forAll('Disallow: *.gif$', 'Disallow: /example/', 'Allow: /publications/'), '/a/b.gif?x', 'allowed'],
    [forAll('Disallow: *.gif$', 'Disallow: /example/', 'Allow: /publications/'), '/example/x', 'disallowed'],
    [forAll('Disallow: *.gif$', 'Disallow: /example/', 'Allow: /publications/'), '/publications/x', 'allowed'],
    [forAll('Allow: /example/page/', 'Disallow: /example/page/disallowed.gif'), '/example/page/disallowed.gif', 'disallowed'],
    [forAll('Disallow: /foo/bar?qux=taz&baz=http://foo.bar?'), '/foo/bar?qux=taz&baz=http://foo.bar?', 'disallowed'],
    [forAll('Disallow: /foo/bar/ツ'), '/foo/bar/%E3%83%84', 'disallowed'],
    [forAll('Disallow: /foo/bar/%E3%83%84'), '/foo/bar/ツ', 'disallowed'],
    [forAll('Disallow: /foo/bar/%62%61%7A'), '/foo/bar/baz', 'disallowed'],
    [forAll('Disallow: /path/file-with-a-%2a.html'), '/path/file-with-a-%2A.html', 'disallowed'],
  ])('%j for %s: %s', (text, path, wanted) => {
    expect(verdict(text, path)).toBe(wanted);
  });

  it.each([
    ['a path starts with the rule', forAll('Disallow: /a'), '/abc', 'disallowed'],
    ['a rule without a slash is no part of a path', forAll('Disallow: a'), '/abc', 'allowed'],
    ['the query belongs to the path', forAll('Disallow: /*?id='), '/x?id=1', 'disallowed'],
    ['wildcards side by side are one', forAll('Disallow: /a***c$'), '/abbbc', 'disallowed'],
    ['the end is the end', forAll('Disallow: /a$'), '/ab', 'allowed'],
    ['the end overlaps nothing', forAll('Disallow: /aba*ba$'), '/aba', 'allowed'],
    ['the end may follow at once', forAll('Disallow: /aba*ba$'), '/ababa', 'disallowed'],
    ['segments keep their order', forAll('Disallow: /*b*a'), '/a-b', 'allowed'],
    ['the longest rule decides', forAll('Disallow: /', 'Allow: /open'), '/open/x', 'allowed'],
    ['wildcards side by side do not make a rule longer', forAll('Allow: /op***', 'Disallow: /open'), '/open', 'disallowed'],
    ['Allow decides among equals', forAll('Disallow: /a', 'Allow: /a'), '/a', 'allowed'],
    ['an empty rule forbids nothing', forAll('Disallow:'), '/a', 'allowed'],
    ['a comment ends a rule', forAll('Disallow: /a # b'), '/a', 'disallowed'],
    ['names are read without regard to case', 'USER-AGENT: QUIPU/2.0\rdisallow : /a', '/a', 'disallowed'],
    ['a byte order mark is no part of a name', '\uFEFFUser-agent: *\r\nDisallow: /a', '/a', 'disallowed'],
    ['agents in a row share a group', 'User-agent: x\nUser-agent: *\nUser-agent: y\nDisallow: /a', '/a', 'disallowed'],
    ['other lines do not end a row of agents', 'User-agent: *\nCrawl-delay: 5\nUser-agent: y\nDisallow: /a', '/a', 'disallowed'],
    ['a group ends at the next agent', 'User-agent: *\nAllow: /\nUser-agent: y\nDisallow: /a', '/a', 'allowed'],
    [
      'groups of one agent are one',
      'User-agent: *\nDisallow: /a\nUser-agent: y\nAllow: /\nUser-agent: *\nDisallow: /b',
      '/b',
      'disallowed',
    ],
    ['a group of ours sets that of everybody aside', 'User-agent: *\nDisallow: /\nUser-agent: quipu\nDisallow: /b', '/a', 'allowed'],
    ['a group of ours may be empty', 'User-agent: *\nDisallow: /\nUser-agent: quipu\nDisallow:', '/a', 'allowed'],
    ['rules before any agent are nobody’s', 'Disallow: /', '/a', 'allowed'],
  ])('%s', (_, text, path, wanted) => {
    expect(verdict(text, path)).toBe(wanted);
  });
});

/** 512 KiB, the most that is read, of one piece of text after a beginning. */
const filled = (piece: string, beginning = 'User-agent: *\n') =>
  (beginning + piece.repeat(Math.ceil((512 * 1024) / piece.length))).slice(0, 512 * 1024);

describe('a hostile robots.txt', () => {
  it.each([
    ['one rule of stars', `${filled('*', 'User-agent: *\nDisallow: /').slice(0, -1)}b`],
    ['one rule of many wildcards', filled('a*', 'User-agent: *\nDisallow: /')],
    ['many rules with a wildcard', filled('Allow:*a\n')],
    ['many rules that match nearly', filled(`Allow:*${'a'.repeat(1_000)}b\n`)],
    ['many rules without a wildcard', filled('Allow:/a\n')],
    ['percent encoding', filled('%41', 'User-agent: *\nAllow: /')],
    ['letters outside ASCII', filled('é', 'User-agent: *\nAllow: /')],
    ['line separators', filled('\u2028', '')],
    ['blanks', filled(' ', '')],
    ['agents', filled('User-agent: *\n', '')],
  ])('of %s holds the event loop for a short time only', async (what, text) => {
    const start = `/${'a'.repeat(1_000)}`;
    const target = `/${'a'.repeat(15_000)}`;
    const { website, port } = await testSites({
      'sitio.cl/robots.txt': { headers: { 'content-type': 'text/plain' }, body: Buffer.from(text).subarray(0, 512 * 1024) },
      [`sitio.cl${start}`]: { status: 301, headers: { location: target } },
      [`sitio.cl${target}`]: '<p>hello</p>',
    });
    let outcome: unknown;
    await expectShortTurns(`robots.txt, ${what}`, async () => {
      outcome = (await website.open(new URL(`http://sitio.cl:${port}${start}`))).entry;
    });
    expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(page|robots|unreachable)$/) });
  });

  it('whose rules are too many to compare leaves the page unread, and is no prohibition', async () => {
    const { website } = await testSites({
      'sitio.cl/robots.txt': { headers: { 'content-type': 'text/plain' }, body: filled('Disallow: /x\n') },
      'sitio.cl/': '<p>hello</p>',
    });
    expect((await website.open('sitio.cl')).entry).toEqual({ kind: 'unreachable', reason: 'robots_unavailable' });
  });
});
