import { useState } from 'react';
import { shortSourceNameIn } from '../../../src/messages/source-names.ts';
import { useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { StepButton } from '../../ui/step-button.tsx';
import type { Drawn, GroupNode } from './group-graph.ts';
import { BOX, layoutOf } from './group-layout.ts';

const ZOOMS = [0.5, 0.75, 1, 1.5] as const;
const FIRST_ZOOM = 2;

interface Props {
  readonly drawn: Drawn;
  /** True if the owners of the company of the page were read, so that people are marked with their hits. */
  readonly hasOwners: boolean;
  /** Reads one more level; null if that is not possible. */
  readonly onDeeper: (() => void) | null;
}

/** A drawing of a group, owners above. The list below it has the same for the keyboard and for print. */
export default function GroupDrawing({ drawn, hasOwners, onDeeper }: Props) {
  const texts = useTexts();
  const [zoom, setZoom] = useState(FIRST_ZOOM);
  const { positions, width, height, lines } = layoutOf(drawn.nodes, drawn.edges);
  return (
    <div className="group-drawing">
      <p className="row">
        <StepButton isPossible={zoom > 0} onStep={() => setZoom(zoom - 1)}>
          {texts('group.smaller')}
        </StepButton>
        <StepButton isPossible={zoom < ZOOMS.length - 1} onStep={() => setZoom(zoom + 1)}>
          {texts('group.larger')}
        </StepButton>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a drawing that scrolls is reached by keyboard */}
      <section className="drawing" tabIndex={0} aria-label={texts('group.drawing')}>
        <div className="canvas" style={{ width, height, zoom: ZOOMS[zoom] }}>
          <svg width={width} height={height} aria-hidden="true">
            {lines.map(({ id, path }) => (
              <path key={id} className="edge" d={path} />
            ))}
          </svg>
          {drawn.nodes.map((node) => {
            const { x, y } = positions.get(node.id) ?? { x: 0, y: 0 };
            return (
              <div key={node.id} className={`node ${node.kind}`} data-node={node.id} style={{ left: x, top: y, ...BOX }}>
                <Box node={node} onDeeper={onDeeper} />
              </div>
            );
          })}
        </div>
      </section>
      {drawn.nodes.some(({ kind }) => kind === 'person') && (
        <p className="small quiet">{texts(hasOwners ? 'group.peopleMarks' : 'group.peopleNotCompared')}</p>
      )}
    </div>
  );
}

function Box({ node, onDeeper }: { readonly node: GroupNode; readonly onDeeper: Props['onDeeper'] }) {
  const texts = useTexts();
  const { kind, name, company, identifier, lists, hits, isNotCompared, isUnread, isProbable } = node;
  const shown = name ?? company?.formattedIdentifier ?? texts(kind === 'people' ? 'owners.NATURAL_PERSONS' : 'group.unnamed');
  const details = company
    ? name === null
      ? ''
      : company.formattedIdentifier
    : [texts('owners.INDIVIDUAL'), identifier].filter(Boolean).join(' · ');
  return (
    <>
      <div className="title" title={shown}>
        {company && kind !== 'self' ? <Link href={companyPath(company)}>{shown}</Link> : shown}
      </div>
      <div className="details small quiet">{details}</div>
      <div className="marks">
        {lists.length > 0 && <Badge tone="high">{lists.map((list) => shortSourceNameIn(list, texts.language)).join(', ')}</Badge>}
        {hits.length > 0 && (
          <Badge tone={hits.some(({ decision }) => decision === 'MATCH') ? 'high' : 'medium'}>
            {texts('group.hits', { names: [...new Set(hits.map(({ list }) => shortSourceNameIn(list, texts.language)))].join(', ') })}
          </Badge>
        )}
        {isNotCompared && <Badge tone="none">{texts('owners.notScreened')}</Badge>}
        {isProbable && (
          <span title={texts('group.probable.meaning')}>
            <Badge tone="none">{texts('group.probable')}</Badge>
          </span>
        )}
        {isUnread && onDeeper && (
          <button type="button" aria-label={texts('group.deeperAt', { name: shown })} onClick={onDeeper}>
            {texts('group.oneMore')}
          </button>
        )}
      </div>
    </>
  );
}
