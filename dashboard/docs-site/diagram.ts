import { renderMermaidSVG } from 'beautiful-mermaid';

/** A picture of a page of the documentation. */
export interface Diagram {
  /** File in `docs/images`. */
  readonly name: string;
  readonly svg: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Colours on a light background in both colour schemes, because an image does not know the scheme of its page. */
const COLOURS = { bg: '#ffffff', fg: '#1f2933', muted: '#4a5568', line: '#718096' };

/**
 * Draws a diagram of Mermaid, which GitHub draws itself. It is a separate file, because the policy of the pages allows no inline style.
 * @throws Error for a text that is not a diagram
 */
export function drawDiagram(name: string, source: string): Diagram {
  // The removed line loads fonts of another host.
  const svg = renderMermaidSVG(source, { ...COLOURS, font: 'system-ui' }).replaceAll(/^\s*@import url\(.*\);\n/gm, '');
  const [, width, height] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  if (!width || !height) throw new Error(`the diagram ${name} has no size`);
  return { name, svg, width: Math.ceil(Number(width)), height: Math.ceil(Number(height)) };
}
