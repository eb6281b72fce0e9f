import { lazy, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { type Country, Group as GroupQuery, UltimateOwners } from '../../api/operations.ts';
import type { ShownOwner } from '../../state/owner-decisions.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { isTextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Badge, Flag } from '../../ui/badge.tsx';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { StepButton } from '../../ui/step-button.tsx';
import { AnswerNotice } from '../answer-notice.tsx';
import { LazyPart } from '../lazy-part.tsx';
import { countUltimate, drawnGroup, type GroupFinding, type GroupGraph, type People } from './group-graph.ts';

/** The drawing is loaded when a group is read, so that the page stays small. */
const GroupDrawing = lazy(() => import('./group-drawing.tsx'));

const FIRST_DEPTH = 3;
const MAX_DEPTH = 10;

type Findings = NonNullable<NonNullable<GroupQuery['company']>['groupFindings']>;

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
  /** Owners of the company with their candidates; null if they were not read. */
  readonly owners: readonly ShownOwner[] | null;
}

/** The companies around a company, with what the lists say about each. It is read on demand, because it counts on the key's plan. */
export function GroupPanel(props: Props) {
  const texts = useTexts();
  const [depth, setDepth] = useState<number | null>(null);
  return (
    <section className="panel" aria-labelledby="group-title">
      <header>
        <h2 id="group-title">{texts('group.title')}</h2>
        <p className="quiet small">{texts('group.hint')}</p>
      </header>
      {depth === null ? (
        <p className="body">
          <button type="button" onClick={() => setDepth(FIRST_DEPTH)}>
            {texts('group.read')}
          </button>
        </p>
      ) : (
        <ReadGroup {...props} depth={depth} onDeeper={() => setDepth(depth + 1)} />
      )}
    </section>
  );
}

function ReadGroup({
  client,
  country,
  identifier,
  owners,
  depth,
  onDeeper,
}: Props & { readonly depth: number; readonly onDeeper: () => void }) {
  const texts = useTexts();
  const shown = useAnswer(client, GroupQuery, { country, identifier, depth });
  const ultimate = useAnswer(client, UltimateOwners, { country, identifier });
  const company = shown.answer?.data?.company;
  const people = ultimate.answer?.data?.company?.beneficialOwners ?? null;
  const findings = company?.groupFindings?.findings ?? [];
  const deeper = (): void => {
    if (shown.isCurrent) onDeeper(); // a level more counts on the plan, so one is read at a time
  };
  const shownDepth = shown.isCurrent ? depth : depth - 1; // the earlier answer stays until the next arrives
  const canDeepen = shownDepth < MAX_DEPTH && (company?.group?.notSeen.some(({ reason }) => reason === 'DEPTH') ?? false);
  return (
    <div className="body column">
      <AnswerNotice shown={shown} />
      {company?.groupFindings && <Summary findings={company.groupFindings} />}
      <AnswerNotice shown={ultimate} />
      {people && <Ultimate people={people} />}
      {company?.group && (
        <>
          <FreshnessLine freshness={company.group.freshness} />
          <LazyPart>
            <GroupDrawing
              drawn={drawnGroup(company.group, { findings, people, owners, depth: shownDepth })}
              hasOwners={owners !== null}
              onDeeper={canDeepen ? deeper : null}
            />
          </LazyPart>
          <GroupTable group={company.group} findings={findings} />
          <NotSeen group={company.group} />
          {canDeepen && (
            <p>
              <StepButton isPossible={shown.isCurrent} onStep={deeper}>
                {texts('group.deeper')}
              </StepButton>
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** The number of companies that the lists name. No record is no clearance while a list was not read, or a part of the group is not known. */
function Summary({ findings: { findings, companiesChecked, listsNotChecked, complete } }: { readonly findings: Findings }) {
  const texts = useTexts();
  const listed = new Set(findings?.map(({ company }) => company.id)).size;
  const isClear = complete && listsNotChecked.length === 0;
  const tone = listed > 0 ? 'high' : isClear ? 'low' : 'none';
  return (
    <p className="row">
      <Badge tone={tone}>{texts('group.listed', { n: listed, of: companiesChecked })}</Badge>
      {listsNotChecked.length > 0 && (
        <span className="small">
          {texts('group.listsNotRead', { names: listsNotChecked.map(({ list }) => sourceNameIn(list, texts.language)).join(', ') })}
        </span>
      )}
    </p>
  );
}

/** The number of people who own the company in the end, as a sentence. What is not known is part of it. */
function Ultimate({ people }: { readonly people: People }) {
  const texts = useTexts();
  const { people: known, probable, unnamed, unknown } = countUltimate(people);
  const parts = [
    known > 0 && texts('ultimate.people', { n: known }),
    unnamed > 0 && texts('ultimate.unnamed', { n: unnamed }),
    unknown > 0 && texts('ultimate.unknown', { n: unknown }),
  ].flatMap((one) => one || []);
  return (
    <p>
      <strong>{texts('ultimate.sentence', { owners: parts.length > 0 ? parts.join(', ') : texts('ultimate.none') })}</strong>
      {probable > 0 && <span className="quiet small"> {texts('ultimate.probable', { n: probable })}</span>}
    </p>
  );
}

/** A row for each company, nearest first: where it stands, and its findings with the path from the company of the page. */
function GroupTable({ group: { nodes }, findings }: { readonly group: GroupGraph; readonly findings: readonly GroupFinding[] }) {
  const texts = useTexts();
  const byCompany = Map.groupBy(findings, ({ company }) => company.id);
  const names = new Map(nodes.map(({ company, name }) => [company.id, name ?? company.formattedIdentifier]));
  return (
    <table className="list group as-cards">
      <thead>
        <tr>
          <th scope="col">{texts('companies.company')}</th>
          <th scope="col">{texts('group.place')}</th>
          <th scope="col">{texts('group.findings')}</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ company, name, relation, depth }) => (
          <tr key={company.id} data-group={company.identifier}>
            <td>
              <Link href={companyPath(company)}>{name ?? company.formattedIdentifier}</Link>
              {name !== null && <div className="quiet small number">{company.formattedIdentifier}</div>}
            </td>
            <td data-label={texts('group.place')}>
              {relation === 'SELF' ? texts('group.SELF') : texts(`group.${relation}`, { n: depth })}
            </td>
            <td data-label={texts('group.findings')}>
              <ul className="records small">
                {byCompany.get(company.id)?.map((finding) => (
                  <FindingRow key={`${finding.list} ${finding.entityId}`} finding={finding} names={names} />
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FindingRow({ finding, names }: { readonly finding: GroupFinding; readonly names: ReadonlyMap<string, string> }) {
  const texts = useTexts();
  const { list, entryName, programs, path, matchedOn } = finding;
  const steps = path.map(({ owner, owned }) => `${names.get(owned.id) ?? '?'} ← ${names.get(owner.id) ?? '?'}`);
  return (
    <li>
      <Flag tone="high">{sourceNameIn(list, texts.language)}</Flag>{' '}
      {[entryName, ...programs, matchedOn === 'ROOT' && texts('record.ROOT')].filter(Boolean).join(' · ')}
      {steps.length > 0 && (
        <div className="quiet">
          {texts('group.path')}: {steps.join('; ')}
        </div>
      )}
    </li>
  );
}

/** The reasons for which the group may have more companies. */
function NotSeen({ group: { notSeen } }: { readonly group: GroupGraph }) {
  const texts = useTexts();
  if (notSeen.length === 0) return null;
  return (
    <div className="small quiet">
      <p>{texts('group.notSeen')}</p>
      <ul>
        {notSeen.map(({ reason, count }) => (
          <li key={reason}>
            {gapText(reason, texts)}
            {count > 0 && ` (${count.toLocaleString(texts.language)})`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function gapText(reason: string, texts: Texts): string {
  const key = `group.gap.${reason}`;
  return isTextKey(key) ? texts(key) : reason;
}
