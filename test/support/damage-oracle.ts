import { maskCpfs, maskCpfsInName } from '../../src/domain/personal-ids.ts';
import { isProblem, readCnpj } from '../../src/domain/tax-id.ts';
import { MAX_LENGTHS } from '../../src/domain/text.ts';
import { type DamagePlan, type Document, damageOf, pickOf, type Random } from './damage.ts';

/** The answer to one question. */
export interface Judged {
  /** Data by which a customer decides: the status, whether a company is listed, the number of its orders. */
  readonly verdict: string;
  /** All other data, as JSON. */
  readonly details: unknown;
}

/** The answers that a source gives from its documents, by question. */
export interface Answers {
  readonly answers: Readonly<Record<string, Judged>>;
  /** Rows that the version counts as not matched to a company; lists only. */
  readonly unmatched?: number;
}

/** A source to damage. */
export interface Subject extends DamagePlan {
  readonly name: string;
  readonly documents: Readonly<Record<string, Document>>;
  /** Texts of the source for missing fields. */
  readonly defaults?: readonly string[];
  /** Reads the documents with the source's reader. @throws if the source fails */
  readonly read: (documents: Readonly<Record<string, Document>>) => Promise<Answers> | Answers;
}

export type Reading = Answers | 'failed';

/**
 * Says what is wrong with the answers after a damage; null if they are right. They are right when
 * 1. the source failed, or
 * 2. each verdict is the same as before, and each changed detail is absent or made of words that the documents print: nothing is
 *    invented, though a text that the damage put into a field may be cut. A number must have been in the answers before, or be what the
 *    damage put into a field, also with masked digits, or as the code or CNPJ that it is with left zeros; or
 * 3. a verdict is lost, and the version counts more rows than before that it could not match to a company.
 */
export function wrongness(before: Answers, after: Reading, says: readonly string[], printed: readonly string[]): string | null {
  if (after === 'failed') return null;
  const isCounted = (after.unmatched ?? 0) > (before.unmatched ?? 0);
  const said = says.flatMap((text) => [text, maskCpfs(text), maskCpfsInName(text), ...withLeftZeros(text)]);
  const numbers = new Set([...wordsOf(JSON.stringify(before.answers)), ...said.flatMap(wordsOf), ...says.flatMap(bareWords)]);
  const words = new Set([...numbers, ...printed.flatMap(wordsOf)]);
  for (const [question, { verdict, details }] of Object.entries(before.answers)) {
    const now = after.answers[question];
    if (now?.verdict !== verdict) {
      if (isCounted) continue;
      return `${question}: verdict ${now?.verdict ?? 'none'}, before ${verdict}`;
    }
    if (JSON.stringify(now.details) === JSON.stringify(details)) continue;
    const invented = leavesOf(now.details).find(
      (leaf) => !wordsOf(String(leaf)).every((word) => (typeof leaf === 'string' ? words : numbers).has(word)) && !isCutText(leaf, words),
    );
    if (invented !== undefined) return `${question}: ${invented} is printed nowhere`;
  }
  return null;
}

/** A cut code or CNPJ may be another valid one that lost its left zeros in a mirror that stores numbers: no reader can tell. */
function withLeftZeros(text: string): readonly string[] {
  const cnpj = readCnpj(text);
  return [...(/^\d$/.test(text) ? [`0${text}`] : []), ...(isProblem(cnpj) ? [] : [cnpj])];
}

/** True for a long text whose words are known, but for the last one, which is the beginning of a known word. */
function isCutText(leaf: unknown, words: ReadonlySet<string>): boolean {
  if (typeof leaf !== 'string' || leaf.length < MAX_LENGTHS.label) return false;
  const own = wordsOf(leaf);
  const last = own.at(-1) ?? '';
  return own.slice(0, -1).every((word) => words.has(word)) && [...words].some((word) => word.startsWith(last));
}

/** Letters and digits of a text, folded. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .match(/[a-z]+|\d+/g) ?? [];

/** Returns the words of a text without punctuation, like stored ids. */
const bareWords = (text: string): readonly string[] => wordsOf(text.replace(/[^A-Za-z\d]/g, ''));

/** Returns the texts and numbers of a value, without absent ones and false, which every missing flag is. */
function leavesOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined || value === '' || value === false) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [value];
}

export interface Campaign {
  readonly damaged: number;
  readonly failed: number;
  readonly same: number;
  /** Descriptions of the wrong answers. */
  readonly wrong: readonly string[];
}

/**
 * Reads this many damaged versions of the documents of a source. An error counts as a failed source, because the HTTP client and the syncs
 * convert every error to one.
 */
export async function campaign(subject: Subject, count: number, random: Random): Promise<Campaign> {
  const before = await subject.read(subject.documents);
  const plain = JSON.stringify(before.answers);
  const texts = Object.values(subject.documents).map(({ text }) => text);
  const printed = [...texts, ...texts.map((text) => Buffer.from(text, 'latin1').toString('utf8')), ...(subject.defaults ?? [])];
  const wrong: string[] = [];
  let failed = 0;
  let same = 0;
  for (let i = 0; i < count; i += 1) {
    const name = pickOf(random, Object.keys(subject.documents));
    const damage = damageOf(subject.documents[name] as Document, subject, random);
    const describe = (what: string) =>
      wrong.push(`${subject.name}, ${name}, ${damage.name} ${JSON.stringify(damage.says).slice(0, 80)}: ${what}`);
    let after: Reading;
    try {
      after = await subject.read({ ...subject.documents, [name]: damage.document });
    } catch {
      after = 'failed';
    }
    if (after === 'failed') failed += 1;
    else if (JSON.stringify(after.answers) === plain) same += 1;
    const fault = wrongness(before, after, damage.says, printed);
    if (fault) describe(fault);
  }
  return { damaged: count, failed, same, wrong };
}
