/** A technology seen on a website. */
export interface Technology {
  readonly name: string;
  /** E.g. `Ecommerce`, `Web servers`. */
  readonly categories: readonly string[];
  /** Null where the site does not tell. */
  readonly version: string | null;
  /** 0–100: how sure its signs make us. Below 50 it is left out. */
  readonly confidence: number;
}

/** What a website is made with. */
export interface TechStack {
  /** The domain asked for, in ASCII. */
  readonly domain: string;
  /** The page that was read, after redirects. */
  readonly url: string;
  /** By confidence, then name. None is an answer: the page was read and shows nothing known. */
  readonly technologies: readonly Technology[];
  /** False when the name servers did not answer: mail and office suites could not be looked for. */
  readonly dnsChecked: boolean;
}

/** One sign of one technology. */
export interface Sign {
  readonly technology: string;
  /** 0–100. */
  readonly confidence: number;
  /** Empty where it tells none. */
  readonly version: string;
}

/** What a technology brings with it or rules out. */
export interface Relations {
  readonly categories: readonly number[];
  readonly implies: readonly { readonly name: string; readonly confidence: number }[];
  readonly excludes: readonly string[];
  /** Counts only beside one of these, all of them needed. */
  readonly requires: readonly string[];
  /** Counts only beside something of one of these categories. */
  readonly requiresCategories: readonly number[];
}

/** The least confidence that is told. */
const TOLD_FROM = 50;
const MAX_VERSION_CHARACTERS = 15;

interface Seen {
  confidence: number;
  version: string;
}

/**
 * Signs → technologies. Confidence adds up to 100; one that requires another counts beside it only; one that is implied is as sure as
 * what implies it and the rule together; exclusions come last.
 */
export function resolveSigns(
  signs: readonly Sign[],
  relations: ReadonlyMap<string, Relations>,
  categoryNames: ReadonlyMap<number, string>,
): readonly Technology[] {
  const seen = new Map<string, Seen>();
  for (const { technology, confidence, version } of signs) {
    const before = seen.get(technology) ?? { confidence: 0, version: '' };
    seen.set(technology, { confidence: Math.min(100, before.confidence + confidence), version: betterVersion(before.version, version) });
  }
  const kept = dropUnsupported(seen, relations);
  addImplied(kept, relations);
  for (const name of [...kept.keys()]) for (const excluded of relations.get(name)?.excludes ?? []) kept.delete(excluded);
  return [...kept]
    .filter(([, { confidence }]) => confidence >= TOLD_FROM)
    .map(([name, { confidence, version }]) => ({
      name,
      categories: (relations.get(name)?.categories ?? []).flatMap((id) => categoryNames.get(id) ?? []),
      version: version || null,
      confidence: Math.round(confidence),
    }))
    .sort((a, b) => b.confidence - a.confidence || a.name.localeCompare(b.name));
}

/** The longer of two, as long as it looks like a version: a timestamp or a hash does not. */
function betterVersion(before: string, next: string): string {
  const sane = next.length <= MAX_VERSION_CHARACTERS && (Number.parseInt(next, 10) || 0) < 10_000;
  return sane && next.length > before.length ? next : before;
}

function dropUnsupported(seen: ReadonlyMap<string, Seen>, relations: ReadonlyMap<string, Relations>): Map<string, Seen> {
  const categories = new Set([...seen.keys()].flatMap((name) => relations.get(name)?.categories ?? []));
  return new Map(
    [...seen].filter(([name]) => {
      const { requires = [], requiresCategories = [] } = relations.get(name) ?? {};
      return (
        requires.every((other) => seen.has(other)) &&
        (requiresCategories.length === 0 || requiresCategories.some((id) => categories.has(id)))
      );
    }),
  );
}

function addImplied(kept: Map<string, Seen>, relations: ReadonlyMap<string, Relations>): void {
  const waiting = [...kept.keys()];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const because = kept.get(name)?.confidence ?? 0;
    for (const implied of relations.get(name)?.implies ?? []) {
      const confidence = (because * implied.confidence) / 100;
      const before = kept.get(implied.name);
      if (before && before.confidence >= confidence) continue;
      kept.set(implied.name, { confidence, version: before?.version ?? '' });
      waiting.push(implied.name);
    }
  }
}
