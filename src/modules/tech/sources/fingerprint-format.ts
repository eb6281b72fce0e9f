/** Types of the published fingerprints (JSON), and the compiler of their patterns. */

export type Texts = string | readonly string[];
export type ByName = Readonly<Record<string, Texts>>;

/** Conditions on an element besides its selector: attributes, text. `exists` and other properties add no condition. */
export interface RawElement {
  readonly attributes?: ByName;
  readonly text?: Texts;
}

/** A technology in the published form, where any list may be a single item. */
export interface RawFingerprint {
  readonly cats?: readonly number[];
  readonly headers?: ByName;
  readonly cookies?: ByName;
  readonly meta?: ByName;
  readonly dns?: ByName;
  readonly html?: Texts;
  readonly text?: Texts;
  readonly scripts?: Texts;
  readonly css?: Texts;
  readonly url?: Texts;
  readonly scriptSrc?: Texts;
  readonly dom?: Texts | Readonly<Record<string, RawElement>>;
  readonly implies?: Texts;
  readonly excludes?: Texts;
  readonly requires?: Texts;
  readonly requiresCategory?: number | readonly number[];
}

/** One rule of a fingerprint: a matching text is a sign of the technology. */
export interface Pattern {
  readonly regex: RegExp;
  /** 0–100. */
  readonly confidence: number;
  /** Template of the version, e.g. `\1` or `\1?a:b`; empty for none. */
  readonly version: string;
  /** False for plain words, which also match an article about a product. */
  readonly isMarkup: boolean;
}

/** Limit of repetitions, because unbounded repetition over a long page makes patterns backtrack. */
const MOST_REPETITIONS = 250;

/**
 * Compiles a pattern in the published form, `regular expression\;confidence:50\;version:\1`, case-insensitive.
 * @throws SyntaxError for an expression that is invalid in JavaScript
 */
export function compilePattern(text: string): Pattern {
  const [expression = '', ...tags] = text.split('\\;');
  const tag = (name: string): string | undefined => tags.find((one) => one.startsWith(`${name}:`))?.slice(name.length + 1);
  return {
    regex: new RegExp(bounded(expression), 'i'),
    confidence: Number(tag('confidence') ?? 100),
    version: tag('version') ?? '',
    isMarkup: /[<="/]/.test(expression),
  };
}

/** Replaces `+` and `*` outside character classes by `{1,250}` and `{0,250}`. */
function bounded(expression: string): string {
  const parts: string[] = [];
  /** The end of what was written: enough to see a quantifier in it, and short, so that the work stays linear. */
  let tail = '';
  let inClass = false;
  const write = (part: string): void => {
    parts.push(part);
    tail = (tail + part).slice(-16);
  };
  for (let i = 0; i < expression.length; i += 1) {
    const character = expression.charAt(i);
    if (character === '\\') {
      write(character + expression.charAt(i + 1));
      i += 1;
      continue;
    }
    if (character === '[') inClass = true;
    if (character === ']') inClass = false;
    const isRepetition = !inClass && (character === '+' || character === '*');
    write(isRepetition && !isQuantified(tail) ? `{${character === '+' ? 1 : 0},${MOST_REPETITIONS}}` : character);
  }
  return parts.join('');
}

/** Returns true after a quantifier: the next character then sets its greediness. */
const isQuantified = (before: string): boolean => /(?<!\\)(?:\{\d{1,4}(?:,\d{0,4})?\}|(?<=[^\\(])\?)$/.test(before);

/** Derives the version from a match by the pattern's template; empty for none. */
export function versionOf({ version }: Pattern, match: RegExpExecArray): string {
  return version
    .replace(/\\(\d)\?([^:]{0,99}):([\s\S]*)$/, (_whole, group: string, given: string, missing: string) =>
      match[Number(group)] ? given : missing,
    )
    .replace(/\\(\d)/g, (_whole, group: string) => match[Number(group)] ?? '')
    .trim();
}
