import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Country, type GraphOwner, OwnersGraph as OwnersGraphQuery } from '../../api/operations.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { AnswerNotice } from '../answer-notice.tsx';

/** Sizes in the units of the drawing. */
const BOX = { width: 230, height: 46 };
const GAP = { x: 80, y: 14 };
/** Maximum number of characters of a name or role that fit in a box. */
const MAX_CHARACTERS = 30;
const ZOOMS = [0.5, 0.75, 1, 1.5, 2];

interface Node {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Address of the page of a company; null for a person. */
  readonly path: string | null;
  /** Number of steps from the company. */
  readonly depth: number;
}

interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly owned: string; readonly owner: string }[];
}

type Answered = NonNullable<OwnersGraphQuery['company']>;
type Owner = GraphOwner & { readonly company: { readonly id: string; readonly country: Country; readonly identifier: string } | null };

/**
 * Creates the graph. Each company is one node, at its shortest distance, because owners may own each other in a cycle. A person is a node
 * for each company.
 */
function graphOf({ id: root, owners }: Answered, name: string): Graph {
  const nodes = new Map<string, Node>([[root, { id: root, name, role: '', path: null, depth: 0 }]]);
  const edges = new Map<string, Graph['edges'][number]>();
  const add = (owned: string, owner: Owner, depth: number): string => {
    const { company, name: named, role } = owner;
    const id = company?.id ?? `${owned} ${owner.id}`;
    if (!nodes.has(id)) nodes.set(id, { id, name: named, role, path: company && companyPath(company), depth });
    edges.set(`${owned} ${id}`, { owned, owner: id });
    return id;
  };
  const direct = owners?.owners ?? [];
  const ids = direct.map((owner) => add(root, owner, 1));
  direct.forEach(({ company }, at) => {
    for (const owner of company?.owners?.owners ?? []) add(ids[at] ?? root, owner, 2);
  });
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
  readonly name: string;
}

/** The owners of a company and their owners as a drawing. It is read on demand, because its answers count on the key's plan. */
export function OwnersGraph(props: Props) {
  const texts = useTexts();
  const [isOpen, open] = useState(false);
  if (isOpen) return <ReadGraph {...props} />;
  return (
    <p className="body">
      <button type="button" onClick={() => open(true)}>
        {texts('owners.graph')}
      </button>
    </p>
  );
}

function ReadGraph({ client, country, identifier, name }: Props) {
  const texts = useTexts();
  const shown = useAnswer(client, OwnersGraphQuery, { country, identifier });
  const [zoom, setZoom] = useState(2);
  const company = shown.answer?.data?.company;
  return (
    <div className="body column">
      <AnswerNotice shown={shown} />
      {company?.owners && (
        <>
          <div className="row spread">
            <FreshnessLine freshness={company.owners.freshness} />
            <span className="row">
              <button type="button" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
                {texts('owners.zoomOut')}
              </button>
              <button type="button" disabled={zoom === ZOOMS.length - 1} onClick={() => setZoom(zoom + 1)}>
                {texts('owners.zoomIn')}
              </button>
            </span>
          </div>
          <Drawing graph={graphOf(company, name)} zoom={ZOOMS[zoom] ?? 1} />
        </>
      )}
    </div>
  );
}

/** A column for each distance, with the company on the left. */
function Drawing({ graph: { nodes, edges }, zoom }: { readonly graph: Graph; readonly zoom: number }) {
  const texts = useTexts();
  const columns = Map.groupBy(nodes, ({ depth }) => depth);
  const rows = Math.max(...[...columns.values()].map((column) => column.length));
  const size = {
    width: columns.size * (BOX.width + GAP.x) - GAP.x + 2,
    height: rows * (BOX.height + GAP.y) - GAP.y + 2,
  };
  const positions = new Map(
    [...columns].flatMap(([depth, column]) =>
      column.map(({ id }, row) => {
        const above = (size.height - column.length * (BOX.height + GAP.y) + GAP.y) / 2;
        return [id, { x: 1 + depth * (BOX.width + GAP.x), y: above + row * (BOX.height + GAP.y) }] as const;
      }),
    ),
  );
  const line = ({ owned, owner }: Graph['edges'][number]): string => {
    const from = positions.get(owned) ?? { x: 0, y: 0 };
    const to = positions.get(owner) ?? { x: 0, y: 0 };
    const [x, y, toY] = [from.x + BOX.width, from.y + BOX.height / 2, to.y + BOX.height / 2];
    return `M${x} ${y}C${x + GAP.x / 2} ${y} ${to.x - GAP.x / 2} ${toY} ${to.x} ${toY}`;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a drawing that scrolls is reached by keyboard
    <section className="drawing" tabIndex={0} aria-label={texts('owners.drawing')}>
      <svg width={size.width * zoom} height={size.height * zoom} viewBox={`0 0 ${size.width} ${size.height}`}>
        <title>{texts('owners.drawing')}</title>
        {edges.map((edge) => (
          <path key={`${edge.owned} ${edge.owner}`} className="edge" d={line(edge)} />
        ))}
        {nodes.map((node) => (
          <Box key={node.id} node={node} at={positions.get(node.id) ?? { x: 0, y: 0 }} />
        ))}
      </svg>
    </section>
  );
}

function Box({
  node: { name, role, path, depth },
  at: { x, y },
}: {
  readonly node: Node;
  readonly at: { readonly x: number; readonly y: number };
}) {
  const box = (
    <>
      <title>{[name, role].filter(Boolean).join(', ')}</title>
      <rect className={depth === 0 ? 'root' : undefined} x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      <text x={x + 10} y={y + (role ? 19 : 28)}>
        {shorten(name)}
      </text>
      <text className="role" x={x + 10} y={y + 36}>
        {shorten(role)}
      </text>
    </>
  );
  return path ? <Link href={path}>{box}</Link> : <g>{box}</g>;
}

const shorten = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text);
