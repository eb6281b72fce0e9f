import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Country, Group as GroupQuery } from '../../api/operations.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { isTextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { AnswerNotice } from '../answer-notice.tsx';

const FIRST_DEPTH = 3;
const MAX_DEPTH = 10;

type Answered = NonNullable<GroupQuery['company']>;
type Graph = NonNullable<Answered['group']>;
type Findings = NonNullable<Answered['groupFindings']>;
type Finding = NonNullable<Findings['findings']>[number];

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
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

function ReadGroup({ client, country, identifier, depth, onDeeper }: Props & { readonly depth: number; readonly onDeeper: () => void }) {
  const texts = useTexts();
  const shown = useAnswer(client, GroupQuery, { country, identifier, depth });
  const company = shown.answer?.data?.company;
  const isCut = company?.group?.notSeen.some(({ reason }) => reason === 'DEPTH') ?? false;
  return (
    <div className="body column">
      <AnswerNotice shown={shown} />
      {company?.groupFindings && <Summary findings={company.groupFindings} />}
      {company?.group && (
        <>
          <FreshnessLine freshness={company.group.freshness} />
          <GroupTable group={company.group} findings={company.groupFindings?.findings ?? []} />
          <NotSeen group={company.group} />
          {isCut && depth < MAX_DEPTH && (
            <p>
              <button type="button" onClick={onDeeper}>
                {texts('group.deeper')}
              </button>
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
        <span className="small">{texts('group.listsNotRead', { names: listsNotChecked.map(({ list }) => list).join(', ') })}</span>
      )}
    </p>
  );
}

/** A row for each company, nearest first: where it stands, and its findings with the path from the company of the page. */
function GroupTable({ group: { nodes }, findings }: { readonly group: Graph; readonly findings: readonly Finding[] }) {
  const texts = useTexts();
  const byCompany = Map.groupBy(findings, ({ company }) => company.id);
  const names = new Map(nodes.map(({ company, name }) => [company.id, name ?? company.formattedIdentifier]));
  return (
    <table className="list group">
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
            <td>{relation === 'SELF' ? texts('group.SELF') : texts(`group.${relation}`, { n: depth })}</td>
            <td>
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

function FindingRow({ finding, names }: { readonly finding: Finding; readonly names: ReadonlyMap<string, string> }) {
  const texts = useTexts();
  const { list, entryName, programs, path, matchedOn } = finding;
  const steps = path.map(({ owner, owned }) => `${names.get(owned.id) ?? '?'} ← ${names.get(owner.id) ?? '?'}`);
  return (
    <li>
      <Badge tone="high">{list}</Badge> {[entryName, ...programs, matchedOn === 'ROOT' && texts('record.ROOT')].filter(Boolean).join(' · ')}
      {steps.length > 0 && (
        <div className="quiet">
          {texts('group.path')}: {steps.join('; ')}
        </div>
      )}
    </li>
  );
}

/** The reasons for which the group may have more companies. */
function NotSeen({ group: { notSeen } }: { readonly group: Graph }) {
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
