/** Sizes in CSS pixels. */
export const BOX = { width: 196, height: 78 } as const;
const GAP = { x: 22, y: 46, row: 18 } as const;
/** Maximum number of boxes beside each other. A level with more has several rows, so that the width of the drawing has a limit. */
const MAX_IN_ROW = 6;
/** Number of passes over the levels that put a box near those that it is connected with. */
const PASSES = 4;

/** A box of the drawing. */
export interface LayoutNode {
  readonly id: string;
  /** Steps from the company of the page: below 0 for owners, which are above it, over 0 for what it owns. */
  readonly level: number;
}

/** A line from an owner to what it owns. */
export interface LayoutEdge {
  readonly owner: string;
  readonly owned: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Positions of the upper left corners of the boxes by id, the size of the drawing, and the lines as SVG paths. */
export interface Layout {
  readonly positions: ReadonlyMap<string, Point>;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly { readonly id: string; readonly path: string }[];
}

/**
 * Places boxes level by level, owners above. In each level a box stands near those of other levels that it is connected with. No two boxes
 * overlap. An edge whose ends are not both among the boxes is left out.
 */
export function layoutOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const levels = orderedLevels(nodes, edges);
  const columns = Math.min(MAX_IN_ROW, Math.max(1, ...levels.map((level) => level.length)));
  const width = columns * (BOX.width + GAP.x) - GAP.x + 2;
  const positions = new Map<string, Point>();
  let y = 1;
  for (const level of levels) {
    for (let from = 0; from < level.length; from += MAX_IN_ROW) {
      const row = level.slice(from, from + MAX_IN_ROW);
      const left = (width - row.length * (BOX.width + GAP.x) + GAP.x) / 2;
      row.forEach((id, at) => void positions.set(id, { x: left + at * (BOX.width + GAP.x), y }));
      y += BOX.height + (from + MAX_IN_ROW < level.length ? GAP.row : GAP.y);
    }
  }
  return { positions, width, height: Math.max(y - GAP.y + 1, 0), lines: linesOf(edges, positions) };
}

/**
 * Returns the ids of each level from the top, in the order in which they stand. Each pass goes over the levels one after the other, down and
 * up in turns, so that two levels do not change their order at once and stay crossed.
 */
function orderedLevels(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): readonly (readonly string[])[] {
  const byLevel = Map.groupBy(nodes, ({ level }) => level);
  const levels = [...byLevel].sort(([a], [b]) => a - b).map(([, those]) => [...new Set(those.map(({ id }) => id))]);
  const neighbours = neighboursOf(edges);
  const places = new Map<string, number>();
  const place = (level: readonly string[]): void => level.forEach((id, at) => void places.set(id, (at + 0.5) / level.length));
  const wanted = (id: string): number => {
    const known = (neighbours.get(id) ?? []).flatMap((other) => places.get(other) ?? []);
    return known.length === 0 ? (places.get(id) ?? 0) : known.reduce((sum, one) => sum + one, 0) / known.length;
  };
  levels.forEach(place);
  const indexes = levels.map((_, index) => index);
  for (let pass = 0; pass < PASSES; pass += 1)
    for (const index of pass % 2 === 0 ? indexes : indexes.toReversed()) {
      levels[index] = (levels[index] ?? []).toSorted((a, b) => wanted(a) - wanted(b));
      place(levels[index]);
    }
  return levels;
}

function neighboursOf(edges: readonly LayoutEdge[]): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  const add = (one: string, other: string): void => void neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
  for (const { owner, owned } of edges) {
    add(owner, owned);
    add(owned, owner);
  }
  return neighbours;
}

/** Draws a line from the lower side of the owner to the upper side of the owned. One line is enough for two roles of one owner. */
function linesOf(edges: readonly LayoutEdge[], positions: ReadonlyMap<string, Point>): Layout['lines'] {
  const lines = new Map<string, string>();
  for (const { owner, owned } of edges) {
    const [from, to] = [positions.get(owner), positions.get(owned)];
    if (!from || !to || owner === owned) continue;
    const [x, y] = [from.x + BOX.width / 2, from.y + BOX.height];
    const [toX, toY] = [to.x + BOX.width / 2, to.y];
    const bend = Math.max(GAP.y / 2, Math.abs(toY - y) / 2);
    lines.set(`${owner} ${owned}`, `M${x} ${y}C${x} ${y + bend} ${toX} ${toY - bend} ${toX} ${toY}`);
  }
  return [...lines].map(([id, path]) => ({ id, path }));
}
