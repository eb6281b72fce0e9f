/**
 * Replaces the generated parts in the text of a page. The part `name` stands between the lines `<!-- name -->` and `<!-- /name -->`.
 * @throws Error for a page without the markers of a part
 */
export function withMarkedParts(page: string, text: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((current, [name, part]) => {
    const [before, rest] = current.split(`<!-- ${name} -->\n`);
    const after = rest?.split(`<!-- /${name} -->`)[1];
    if (before === undefined || after === undefined) throw new Error(`${page} has no markers for ${name}`);
    return `${before}<!-- ${name} -->\n${part}<!-- /${name} -->${after}`;
  }, text);
}
