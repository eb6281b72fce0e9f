import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vitest/node';

export interface Pattern {
  /** Path of its file from the root of the project. */
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

interface LiteralNode {
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

/** The regular expression literals of every TypeScript file below a folder, each once per file. @param folder a glob */
export function literalPatterns(root: string, folder: string): readonly Pattern[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .sort()
    .flatMap((file) => {
      const found = new Map<string, Pattern>();
      const visit = (_key: string, node: LiteralNode | null): unknown => {
        if (node?.regex)
          found.set(`/${node.regex.pattern}/${node.regex.flags}`, { file, source: node.regex.pattern, flags: node.regex.flags });
        return typeof node === 'bigint' ? null : node;
      };
      JSON.stringify(parseAst(readFileSync(path.join(root, file), 'utf8'), { lang: 'ts' }, file), visit);
      return [...found.values()];
    });
}

/** Files below a folder that build expressions from text. @param folder a glob */
export const filesWithBuiltPatterns = (root: string, folder: string): readonly string[] =>
  globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => /\bnew RegExp\(/.test(readFileSync(path.join(root, file), 'utf8')))
    .sort();
