import type { Sign } from '../domain.ts';
import type { ElementRule, Fingerprint, NamedRules } from './fingerprints.ts';
import type { PageFacts } from './page.ts';
import { type Pattern, versionOf } from './pattern.ts';

/** Bare words in a page say little: an article about a product has them too. */
const WORDS_WEIGH = 0.4;

type Told = Omit<Sign, 'technology'>;

/** Every sign of every technology on a page. */
export const signsOf = (facts: PageFacts, fingerprints: readonly Fingerprint[]): readonly Sign[] =>
  fingerprints.flatMap((fingerprint) => toldBy(facts, fingerprint).map((told) => ({ technology: fingerprint.name, ...told })));

const toldBy = (facts: PageFacts, rules: Fingerprint): readonly Told[] => [
  ...namedSigns(rules.headers, facts.headers),
  ...namedSigns(rules.cookies, facts.cookies),
  ...namedSigns(rules.meta, facts.meta),
  ...namedSigns(rules.dns, facts.dns),
  ...signs(rules.url, [facts.url]),
  ...signs(rules.scriptSrc, facts.scriptSrc),
  ...signs(rules.scripts, facts.scripts),
  ...signs(rules.css, [facts.css]),
  ...weak(
    signs(
      rules.html.filter(({ isMarkup }) => !isMarkup),
      [facts.html],
    ),
  ),
  ...signs(
    rules.html.filter(({ isMarkup }) => isMarkup),
    [facts.html],
  ),
  ...weak(signs(rules.text, [facts.text])),
  ...rules.dom.flatMap((rule) => elementSigns(rule, facts)),
];

const weak = (told: readonly Told[]): readonly Told[] => told.map((one) => ({ ...one, confidence: one.confidence * WORDS_WEIGH }));

/** One sign a pattern, however many texts have it; the longest version of them. */
function signs(patterns: readonly Pattern[], texts: readonly string[]): readonly Told[] {
  return patterns.flatMap((pattern) => {
    const found = texts.map((text) => pattern.regex.exec(text)).filter((match) => match !== null);
    if (found.length === 0) return [];
    const versions = found.map((match) => versionOf(pattern, match)).sort((a, b) => b.length - a.length);
    return [{ confidence: pattern.confidence, version: versions[0] ?? '' }];
  });
}

function namedSigns(rules: NamedRules, values: Readonly<Record<string, readonly string[]>>): readonly Told[] {
  return rules.flatMap(([name, patterns]) => signs(patterns, valuesOf(name, values)));
}

function valuesOf(name: string, values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  if (!name.endsWith('*')) return values[name] ?? [];
  const start = name.slice(0, -1);
  return Object.entries(values).flatMap(([key, texts]) => (key.startsWith(start) ? texts : []));
}

function elementSigns({ selector, attributes, text }: ElementRule, { document }: PageFacts): readonly Told[] {
  const elements = document(selector).slice(0, 20);
  if (elements.length === 0) return [];
  if (attributes.length === 0 && text.length === 0) return [{ confidence: 100, version: '' }];
  const ofAttributes = attributes.flatMap(([name, patterns]) =>
    signs(
      patterns,
      elements.toArray().flatMap((element) => document(element).attr(name) ?? []),
    ),
  );
  return [
    ...ofAttributes,
    ...signs(
      text,
      elements.toArray().map((element) => document(element).text()),
    ),
  ];
}
