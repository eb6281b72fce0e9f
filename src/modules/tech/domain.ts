/** A technology detected on a website. */
export interface Technology {
  readonly name: string;
  /** Categories, e.g. `Ecommerce`, `Web servers`. */
  readonly categories: readonly string[];
  /** Version; null if the site does not state it. */
  readonly version: string | null;
  /** Sum of the confidences of its signs, 0–100. A technology below 50 is omitted. */
  readonly confidence: number;
}

/** The technologies of a website. */
export interface TechStack {
  /** The requested domain, in ASCII. */
  readonly domain: string;
  /** The page that was read, after redirects. */
  readonly url: string;
  /** Technologies, sorted by confidence, then name. An empty list means that the page was read and shows no known technology. */
  readonly technologies: readonly Technology[];
  /** False when the name servers did not answer, so that mail and office suites could not be detected. */
  readonly dnsChecked: boolean;
}

/** One match of a fingerprint of one technology. */
export interface Sign {
  readonly technology: string;
  /** Confidence from 0 to 100. */
  readonly confidence: number;
  /** Version; empty if the match states none. */
  readonly version: string;
}

/** The technologies that a technology implies, requires or excludes. */
export interface Relations {
  readonly categories: readonly number[];
  readonly implies: readonly { readonly name: string; readonly confidence: number }[];
  readonly excludes: readonly string[];
  /** Names of technologies that must all be present for this one to count. */
  readonly requires: readonly string[];
  /** Categories of which a technology must be present for this one to count. */
  readonly requiresCategories: readonly number[];
}

/** Minimum confidence of a technology that is returned. */
const MIN_CONFIDENCE = 50;
const MAX_VERSION_CHARACTERS = 15;

interface Detected {
  confidence: number;
  version: string;
}

/**
 * Combines signs to technologies. Confidences of one technology add up, to 100 at most. A technology that requires another counts only
 * together with it. An implied technology has the confidence of its cause times that of the rule. Exclusions apply last.
 */
export function resolveSigns(
  signs: readonly Sign[],
  relations: ReadonlyMap<string, Relations>,
  categoryNames: ReadonlyMap<number, string>,
): readonly Technology[] {
  const seen = new Map<string, Detected>();
  for (const { technology, confidence, version } of signs) {
    const before = seen.get(technology) ?? { confidence: 0, version: '' };
    seen.set(technology, { confidence: Math.min(100, before.confidence + confidence), version: betterVersion(before.version, version) });
  }
  const kept = dropUnsupported(seen, relations);
  addImplied(kept, relations);
  for (const name of [...kept.keys()]) for (const excluded of relations.get(name)?.excludes ?? []) kept.delete(excluded);
  return [...kept]
    .filter(([, { confidence }]) => confidence >= MIN_CONFIDENCE)
    .map(([name, { confidence, version }]) => ({
      name,
      categories: (relations.get(name)?.categories ?? []).flatMap((id) => categoryNames.get(id) ?? []),
      version: version || null,
      confidence: Math.round(confidence),
    }))
    .sort((a, b) => b.confidence - a.confidence || a.name.localeCompare(b.name));
}

/** Returns the longer of two versions. Ignores a text that is too long or too large for a version, such as a timestamp or a hash. */
function betterVersion(before: string, next: string): string {
  const sane = next.length <= MAX_VERSION_CHARACTERS && (Number.parseInt(next, 10) || 0) < 10_000;
  return sane && next.length > before.length ? next : before;
}

function dropUnsupported(seen: ReadonlyMap<string, Detected>, relations: ReadonlyMap<string, Relations>): Map<string, Detected> {
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

function addImplied(kept: Map<string, Detected>, relations: ReadonlyMap<string, Relations>): void {
  const queue = [...kept.keys()];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const causeConfidence = kept.get(name)?.confidence ?? 0;
    for (const implied of relations.get(name)?.implies ?? []) {
      const confidence = (causeConfidence * implied.confidence) / 100;
      const before = kept.get(implied.name);
      if (before && before.confidence >= confidence) continue;
      kept.set(implied.name, { confidence, version: before?.version ?? '' });
      queue.push(implied.name);
    }
  }
}
