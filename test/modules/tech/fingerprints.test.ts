import { describe, expect, it } from 'vitest';
import { ADDED, compilePattern, DROPPED, loadFingerprints, versionOf } from '../../../src/modules/tech/sources/fingerprints.ts';

const set = await loadFingerprints();
const names = new Set(set.fingerprints.map(({ name }) => name));

/** The version that a pattern extracts from a text; undefined without a match. */
function readVersion(pattern: string, text: string): string | undefined {
  const compiled = compilePattern(pattern);
  const match = compiled.regex.exec(text);
  return match ? versionOf(compiled, match) : undefined;
}

describe('the fingerprints', () => {
  it('compile, all of them, patches included', () => {
    expect(names.size).toBeGreaterThan(3_400);
    expect(Object.keys(ADDED).filter((name) => !names.has(name))).toEqual([]);
    expect(DROPPED.filter((name) => names.has(name))).toEqual([]);
  });

  it('name only existing categories and technologies', () => {
    const wrong = [...set.relations].flatMap(([name, { categories, implies, excludes, requires, requiresCategories }]) => [
      ...[...categories, ...requiresCategories].filter((id) => !set.categories.has(id)).map((id) => `${name}: category ${id}`),
      ...[...implies.map((one) => one.name), ...excludes, ...requires].filter((one) => !names.has(one)).map((one) => `${name}: ${one}`),
    ]);
    expect(wrong).toEqual([]);
  });

  it('all have a rule that needs no browser, are implied, or are detected by scripts only', () => {
    const kinds = ['headers', 'cookies', 'meta', 'dns', 'html', 'text', 'scripts', 'css', 'url', 'scriptSrc', 'dom'] as const;
    const detectable = set.fingerprints.filter((fingerprint) => kinds.some((kind) => fingerprint[kind].length > 0));
    expect(detectable.length).toBeGreaterThan(3_000);
  });
});

describe('a pattern', () => {
  it('is a regular expression without regard to case', () => {
    expect(compilePattern('wp-content').regex.test('/WP-CONTENT/')).toBe(true);
  });

  it('carries confidence and a version template', () => {
    expect(compilePattern('x\\;confidence:50\\;version:\\1')).toMatchObject({ confidence: 50, version: '\\1' });
    expect(readVersion('jquery[.-]([\\d.]*\\d)[^/]*\\.js\\;version:\\1', 'jquery-3.6.4.min.js')).toBe('3.6.4');
  });

  it('chooses a version by whether a group matched', () => {
    expect(readVersion('a(b)?\\;version:\\1?with:without', 'ab')).toBe('with');
    expect(readVersion('a(b)?\\;version:\\1?with:without', 'a')).toBe('without');
    expect(readVersion('a(b)?\\;version:\\1', 'a')).toBe('');
  });

  it('bounds its repetitions, outside character classes and escapes only', () => {
    expect(compilePattern('a+b*[+*]\\+').regex.source).toBe('a{1,250}b{0,250}[+*]\\+');
    expect(compilePattern('a+?b*?').regex.source).toBe('a{1,250}?b{0,250}?');
  });

  it('distinguishes markup from plain words', () => {
    expect([compilePattern('<link [^>]+x').isMarkup, compilePattern('powered by x').isMarkup]).toEqual([true, false]);
  });
});
