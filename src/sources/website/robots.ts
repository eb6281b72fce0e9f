/** Product token of our user agent, which robots.txt rules may name. */
const AGENT = 'quipu';

/** What a robots.txt says about a page. `unclear`: its rules are not known, or comparing the page with them would take too long. */
export type RobotsVerdict = 'allowed' | 'disallowed' | 'unclear';

/** Rules of a robots.txt. */
export interface RobotsRules {
  /** Never throws. Takes a few milliseconds at most, whatever the rules and the URL are. */
  verdict(url: URL): RobotsVerdict;
}

interface Rule {
  readonly allows: boolean;
  /** Texts between the wildcards, in order. The first one is at the start of the path. */
  readonly segments: readonly string[];
  /** True when the last segment is at the end of the path (`$`). */
  readonly isAnchored: boolean;
  /** Characters of the segments. */
  readonly literals: number;
  /** Of the pattern, where wildcards side by side are one. The rule with the longest pattern decides. */
  readonly length: number;
}

/** Most rules of a file that concern us. Large shops have a few thousand. */
const MAX_RULES = 10_000;
/** Most rules with a wildcard, times the characters of a path. A real site has a few hundred such rules, and paths of 100 characters. */
const MAX_STEPS = 2_000_000;

/**
 * Reads the text of a robots.txt as RFC 9309 says: the groups for our product token, or else those for `*`. The longest matching rule
 * decides, and `Allow` decides among rules of equal length. Takes time proportional to the length of the text.
 */
export function readRobots(text: string): RobotsRules {
  const given = rulesFor(text);
  if (given.length > MAX_RULES) return { verdict: () => 'unclear' };
  const rules = given.sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
  const searches = rules.filter(({ segments }) => segments.length > 1).length;
  return {
    verdict(url) {
      const path = comparable(url.pathname + url.search);
      if (searches * path.length > MAX_STEPS) return 'unclear';
      return (rules.find((rule) => matches(rule, path))?.allows ?? true) ? 'allowed' : 'disallowed';
    },
  };
}

function rulesFor(text: string): Rule[] {
  const own: Rule[] = [];
  const everyones: Rule[] = [];
  let namesUs = false;
  let agents: ReadonlySet<string> = new Set();
  let inRules = false;
  for (const [, name = '', value = ''] of text.replace(/^\uFEFF/, '').matchAll(/^[ \t]*([a-z-]{1,20})[ \t]*:([^#\r\n]*)/gim)) {
    const key = name.toLowerCase();
    if (key === 'user-agent') {
      const agent = value.split('/', 1)[0]?.trim().toLowerCase() ?? '';
      if (agent === AGENT || agent === '*') {
        agents = new Set([...(inRules ? [] : agents), agent]);
        namesUs ||= agent === AGENT;
      } else if (inRules) agents = new Set();
      inRules = false;
    } else if (key === 'allow' || key === 'disallow') {
      inRules = true;
      const pattern = agents.size > 0 ? value.trim() : '';
      if (pattern === '' || own.length + everyones.length > 2 * MAX_RULES) continue;
      const rule = toRule(pattern, key === 'allow');
      if (agents.has(AGENT)) own.push(rule);
      if (agents.has('*')) everyones.push(rule);
    }
  }
  return namesUs ? own : everyones;
}

function toRule(pattern: string, allows: boolean): Rule {
  const isAnchored = pattern.endsWith('$');
  const segments = comparable(isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  const literals = segments.reduce((sum, { length }) => sum + length, 0);
  return { allows, segments, isAnchored, literals, length: literals + segments.length + Number(isAnchored) };
}

/** Compares greedily: the first occurrence of each segment after the one before it. */
function matches({ segments, isAnchored, literals }: Rule, path: string): boolean {
  const [first = '', ...others] = segments;
  if (literals > path.length || !path.startsWith(first)) return false;
  const last = isAnchored ? others.pop() : undefined;
  let at = first.length;
  for (const segment of others) {
    const found = path.indexOf(segment, at);
    if (found === -1) return false;
    at = found + segment.length;
  }
  if (!isAnchored) return true;
  return last === undefined ? at === path.length : path.endsWith(last) && path.length - last.length >= at;
}

/** Writes equal paths alike: characters outside ASCII in percent encoding, its digits in capitals, and no encoding where none is needed. */
const comparable = (path: string): string =>
  path
    .replace(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/[^\0-\x7f]+/g, (characters) => encodeURIComponent(characters.toWellFormed()));
