import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The TypeScript files of a project by path from its root, each with its imports. */
export type Project = ReadonlyMap<string, SourceFile>;

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** Path from the root for a file of the project, else the package as written. */
  readonly target: string;
  readonly isLocal: boolean;
  /** True for `import type` and `export type`. */
  readonly isTypeOnly: boolean;
  /** True for `import('…')` and `require('…')`. */
  readonly isDynamic: boolean;
}

/** Reads every TypeScript file below the folders, those with JSX too. */
export function readProject(root: string, ...folders: readonly string[]): Project {
  const files = folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }))
    .sort();
  return projectOf(Object.fromEntries(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])));
}

/** Path → text, as a project. Tests plant violations with it. */
export const projectOf = (texts: Readonly<Record<string, string>>): Project =>
  new Map(Object.entries(texts).map(([file, text]) => [file, { path: file, text, imports: importsOf(file, text) }]));

function importsOf(file: string, text: string): Import[] {
  const resolved = (target: string, flags: Pick<Import, 'isTypeOnly' | 'isDynamic'>): Import => {
    const isLocal = target.startsWith('.');
    return { target: isLocal ? path.posix.join(path.posix.dirname(file), target) : target, isLocal, ...flags };
  };
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  const calls = text.matchAll(/\b(?:import|require)\('([^']+)'\)/g);
  return [
    ...[...statements].map(([, type, target = '']) => resolved(target, { isTypeOnly: type !== undefined, isDynamic: false })),
    ...[...calls].map(([, target = '']) => resolved(target, { isTypeOnly: false, isDynamic: true })),
  ];
}

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** File → the files that it imports, types included. */
export const fileGraph = (project: Project): Graph =>
  new Map(
    [...project.values()].map((file) => [file.path, new Set(file.imports.filter(({ isLocal }) => isLocal).map(({ target }) => target))]),
  );

/**
 * For each folder, the imports between its direct entries (files and subfolders, a subfolder standing for everything below it).
 * Two folders depend on each other in a circle exactly when one of these graphs has a cycle.
 */
export function entryGraphs(project: Project): ReadonlyMap<string, Graph> {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const [file, targets] of fileGraph(project)) {
    for (const target of targets) {
      const from = file.split('/');
      const to = target.split('/');
      const depth = from.findIndex((part, i) => part !== to[i]);
      if (depth < 1) continue;
      const folder = from.slice(0, depth).join('/');
      const graph = graphs.get(folder) ?? new Map<string, Set<string>>();
      const entry = from[depth] ?? '';
      graphs.set(folder, graph.set(entry, (graph.get(entry) ?? new Set()).add(to[depth] ?? '')));
    }
  }
  return graphs;
}

/** Cycles of a graph, one for each back edge of a depth-first search. Empty exactly when the graph has none. */
export function cyclesOf(graph: Graph): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
    if (done.has(node) || trail.includes(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
