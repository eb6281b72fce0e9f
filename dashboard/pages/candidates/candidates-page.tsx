import { useState } from 'react';
import { saveFile } from '../../api/download.ts';
import {
  type CandidateFilter,
  type CandidateOfCompany,
  candidateId,
  candidatesOf,
  isMatchedById,
  isOpen,
  isSelected,
  MAX_AT_ONCE,
} from '../../state/candidates.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { withDecided } from '../../state/decided.ts';
import type { Decision } from '../../state/decision-log.ts';
import { decisionsCsv } from '../../state/decisions.ts';
import { failureOf, isPortfolioKnown, knownWatched } from '../../state/model.ts';
import { READ_AT_ONCE, uncompared, unread } from '../../state/portfolio.ts';
import { useMay } from '../../state/role.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { useDelimiter } from '../../ui/delimiter.ts';
import { Link } from '../../ui/link.tsx';
import { replaceParameters, useParameters } from '../../ui/parameters.ts';
import { companyPath } from '../../ui/route.ts';
import { ReadSoFar } from '../../ui/skeleton.tsx';
import { NotReadYet } from '../answer-notice.tsx';
import { DelimiterChoice } from '../delimiter-choice.tsx';
import { WorkButton } from '../work-button.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { CandidateList } from './candidate-list.tsx';
import { CandidateRow } from './candidate-row.tsx';
import { DecisionList } from './decision-list.tsx';
import { filterParameters, readFilter } from './filter-address.ts';
import { FilterBar } from './filter-bar.tsx';

/** A candidate, and the decision about it. */
type Decided = readonly [CandidateOfCompany, Decision];

/**
 * Parties of sanctions lists with names similar to those of watched companies. A person confirms or dismisses them with a reason, one by one
 * or together, or reopens them. The open ones are filtered here, because the page knows all of them; the decisions by the server.
 */
export function CandidatesPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const state = useStore(dashboard.store, (one) => one);
  const filter = readFilter(useParameters());
  const [version, setVersion] = useState(0);
  const [chosenIds, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayDecide = useMay('DECIDE');
  const rows = candidatesOf(knownWatched(state).values());
  const lists = [...new Set(rows.map(({ candidate }) => candidate.list))].sort();
  const shown = rows.filter((row) => isSelected(filter, row));
  const open = shown.filter(({ candidate }) => isOpen(candidate));
  const chosen = open.filter((row) => chosenIds.has(candidateId(row)));
  const matchedById = shown.filter(({ candidate }) => isMatchedById(candidate));
  const isShown = (one: CandidateFilter['state']): boolean => filter.state === null || filter.state === one;
  const reread = (): void => setVersion((before) => before + 1);
  const onDecided = (decided: readonly Decided[]): void => {
    dashboard.store.set((before) =>
      decided.reduce((state, [{ company, candidate }, decision]) => withDecided(state, company, candidate, decision), before),
    );
    setChosen((before) => new Set([...before].filter((id) => !decided.some(([row]) => candidateId(row) === id))));
    reread();
  };
  const toggle = (row: CandidateOfCompany): void =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(candidateId(row)) && after.size < MAX_AT_ONCE) after.add(candidateId(row));
      return after;
    });
  const delimiter = useDelimiter();
  const save = async (): Promise<void> => {
    const csv = await decisionsCsv(dashboard.client, filter, texts.language, delimiter);
    saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), texts('file.decisions'));
  };
  const group = { dashboard, onDecided, mayDecide };
  return (
    <>
      <header>
        <h1>{texts('nav.candidates')}</h1>
        <p className="quiet">{texts('candidates.hint')}</p>
        {!mayDecide && state.account && <p className="notice small">{texts('decisions.readOnly')}</p>}
        {state.account?.needsApproval && <p className="quiet">{texts('decisions.needApproval')}</p>}
      </header>
      <ReadMore dashboard={dashboard} />
      <FilterBar filter={filter} lists={lists} onChange={(changed) => replaceParameters(filterParameters(changed))} />
      {isShown('open') && (
        <Group
          {...group}
          title={texts('candidates.open')}
          rows={open}
          empty={texts(rows.length > 0 ? 'decisions.none' : state.watched === 0 ? 'companies.none' : 'candidates.none')}
          chosen={chosen}
          onToggle={toggle}
          onChoose={(all) => setChosen(new Set(all.map(candidateId)))}
        />
      )}
      {isShown('matchedById') && matchedById.length > 0 && (
        <Group {...group} title={texts('candidates.matchedById')} rows={matchedById} empty="" />
      )}
      {state.account?.needsApproval &&
        (['confirmed', 'dismissed'] as const).map((outcome) => (
          <DecisionList
            key={outcome}
            dashboard={dashboard}
            outcome={outcome}
            isWaiting
            filter={filter}
            version={version}
            onChanged={reread}
          />
        ))}
      {(['confirmed', 'dismissed'] as const).map(
        (outcome) =>
          isShown(outcome) && (
            <DecisionList key={outcome} dashboard={dashboard} outcome={outcome} filter={filter} version={version} onChanged={reread} />
          ),
      )}
      <div className="row">
        <WorkButton text={texts('decisions.save')} work={save} />
        <DelimiterChoice />
      </div>
    </>
  );
}

/** Buttons that read further companies, each of which counts. */
function ReadMore({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const unassessed = useStore(dashboard.store, (state) => unread(state).length);
  const others = useStore(dashboard.store, (state) => uncompared(state).length);
  return (
    <div className="row">
      {unassessed > 0 && (
        <button type="button" onClick={() => void dashboard.portfolio.assessMore()}>
          {texts('companies.assess', { n: Math.min(unassessed, READ_AT_ONCE) })}
        </button>
      )}
      {others > 0 && (
        <button type="button" onClick={() => void dashboard.portfolio.compareMore()}>
          {texts('candidates.compare', { n: Math.min(others, READ_AT_ONCE) })}
        </button>
      )}
    </div>
  );
}

interface GroupProps {
  readonly dashboard: Dashboard;
  readonly title: string;
  readonly rows: readonly CandidateOfCompany[];
  readonly empty: string;
  readonly mayDecide: boolean;
  readonly onDecided: (decided: readonly Decided[]) => void;
  /** The chosen rows; undefined for a group whose candidates need no decision. */
  readonly chosen?: readonly CandidateOfCompany[];
  readonly onToggle?: (row: CandidateOfCompany) => void;
  readonly onChoose?: (rows: readonly CandidateOfCompany[]) => void;
}

function Group({ dashboard, title, rows, empty, mayDecide, onDecided, chosen, onToggle, onChoose }: GroupProps) {
  const { client, store } = dashboard;
  const isKnown = useStore(store, isPortfolioKnown);
  const watched = useStore(store, (state) => state.watched);
  const hasFailed = useStore(store, (state) => failureOf(state) !== null);
  const read = useStore(store, (state) => [...knownWatched(state).values()].filter(({ readAt }) => readAt !== null).length);
  const isPart = watched === null ? !hasFailed : !isKnown || read < watched;
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2>
          {title}{' '}
          <span className="quiet small">
            {isKnown && rows.length}
            {isKnown && isPart && ' · '}
            {isPart && <ReadSoFar n={read} of={watched} />}
          </span>
        </h2>
      </header>
      {!isKnown && rows.length === 0 && <NotReadYet dashboard={dashboard} />}
      {isKnown && rows.length === 0 && <p className="empty">{empty}</p>}
      {mayDecide && chosen && onChoose && rows.length > 0 && (
        <BulkBar client={client} shown={rows} chosen={chosen} onChoose={onChoose} onDecided={onDecided} />
      )}
      <CandidateList>
        {rows.map((row) => (
          <CandidateRow
            key={candidateId(row)}
            client={client}
            company={row.company}
            candidate={row.candidate}
            comparedAt={row.company.readAt}
            mayDecide={mayDecide}
            choice={onToggle && { isChosen: chosen?.includes(row) ?? false, toggle: () => onToggle(row) }}
            title={
              <>
                <Link href={companyPath(row.company)}>{row.company.name ?? row.company.formattedIdentifier}</Link>{' '}
                <span aria-hidden="true">≈</span>
              </>
            }
            onDecided={(decision) => onDecided([[row, decision]])}
          />
        ))}
      </CandidateList>
    </section>
  );
}
