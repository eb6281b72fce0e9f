/** Product token of our user agent, which robots.txt rules may name. */
const AGENT = 'quipu';

/** Decision of a robots.txt about a page. `unclear`: its rules are not known, or comparing the page with them would take too long. */
export type RobotsVerdict = 'allowed' | 'disallowed' | 'unclear';

/** Rules of a robots.txt. */
export interface RobotsRules {
  /** Decides about a URL. It never throws, and takes a few milliseconds at most, whatever the rules and the URL are. */
  verdict(url: URL): RobotsVerdict;
}

interface Rule {
  readonly allows: boolean;
  /** Texts between the wildcards, in order. The first one must be at the start of the path. */
  readonly segments: readonly string[];
  /** True if the last segment must be at the end of the path (`$`). */
  readonly isAnchored: boolean;
  /** Number of characters of the segments. */
  readonly literals: number;
  /** Length of the pattern, in which adjacent wildcards count as one. The rule with the longest pattern decides. */
  readonly length: number;
}

/** Maximum number of rules of a file for our user agent. Large shops have a few thousand. */
const MAX_RULES = 10_000;
/**
 * Maximum of the number of rules with a wildcard, times the characters of a path. A real site has a few hundred such rules, and paths of
 * 100 characters.
 */
const MAX_STEPS = 2_000_000;

/**
 * Reads the text of a robots.txt by RFC 9309: the groups for our product token or, without any, those for `*`. The longest matching rule
 * decides, and `Allow` among rules of equal length. It takes time proportional to the length of the text.
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

/** Compares greedily, by the first occurrence of each segment after the previous one. */
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

/** Normalises a path: characters outside ASCII are percent-encoded with digits in capitals, and unnecessary encodings are removed. */
const comparable = (path: string): string =>
  path
    .replace(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : code.toUpperCase();
    })
    .replace(/[^\0-\x7f]+/g, (characters) => encodeURIComponent(characters.toWellFormed()));
