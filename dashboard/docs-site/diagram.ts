import { renderMermaidSVG } from 'beautiful-mermaid';

/** A picture of a page of the documentation. */
export interface Diagram {
  /** File in `docs/images`. */
  readonly name: string;
  readonly svg: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** On a light ground in both colour schemes: a picture does not know the one of its page. */
const COLOURS = { bg: '#ffffff', fg: '#1f2933', muted: '#4a5568', line: '#718096' };

/**
 * Draws a diagram of Mermaid, which GitHub draws itself. It is a file of its own, because the policy of the pages allows no inline style.
 * @throws Error for a text that is no diagram
 */
export function drawDiagram(name: string, source: string): Diagram {
  const svg = renderMermaidSVG(source, { ...COLOURS, font: 'system-ui' }).replaceAll(/^\s*@import url\(.*\);\n/gm, ''); // fonts of another host
  const [, width, height] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  if (!width || !height) throw new Error(`the diagram ${name} has no size`);
  return { name, svg, width: Math.ceil(Number(width)), height: Math.ceil(Number(height)) };
}
