import { useEffect, useState } from 'react';
import type { Source } from './pages/sources/groups.ts';
import { SourceGroups } from './pages/sources/source-groups.tsx';
import { sourceTexts } from './texts/sources.ts';
import { addTexts, useTexts } from './texts/texts.ts';
import { Age } from './ui/age.tsx';
import { mount } from './ui/mount.tsx';
import { Logo, Preferences } from './ui/preferences.tsx';
import { SkeletonLines } from './ui/skeleton.tsx';
import { useTitle } from './ui/title.ts';

const REFRESH_MS = 5_000;

interface Status {
  readonly sources: readonly {
    readonly name: string;
    readonly origin: string;
    readonly usable: boolean;
    readonly circuit: string;
    readonly last_success_at: string | null;
    readonly last_error_at: string | null;
    readonly last_error: string | null;
    readonly list: {
      readonly published_on: string | null;
      readonly loaded_at: string;
      readonly checked_at: string;
      readonly sync_due_at: string;
      readonly good_until: string;
      readonly entries: number;
      readonly rows_unmatched: number;
    } | null;
    readonly attribution: string;
  }[];
}

interface Shown {
  readonly sources: readonly Source[] | null;
  /** Epoch ms of the last answer; null before it. */
  readonly readAt: number | null;
  readonly failed: boolean;
}

/** Reads `/status.json` now and every five seconds. After a failure the last answer stays, and `failed` is true. */
function useStatus(): Shown {
  const [shown, show] = useState<Shown>({ sources: null, readAt: null, failed: false });
  useEffect(() => {
    const read = async () => {
      try {
        const answer = await fetch('/status.json', { cache: 'no-cache', signal: AbortSignal.timeout(REFRESH_MS) });
        if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
        const { sources }: Status = await answer.json();
        show({ sources: sources.map(tileOf), readAt: Date.now(), failed: false });
      } catch {
        show((before) => ({ ...before, failed: true }));
      }
    };
    void read();
    const timer = setInterval(read, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return shown;
}

/** Converts a source to the type of the dashboard. */
const tileOf = ({ name, origin, usable, circuit, list, attribution, ...times }: Status['sources'][number]): Source => ({
  id: name,
  name: name.toUpperCase(),
  origin: origin.toUpperCase() as Source['origin'],
  usable,
  circuit: circuit.toUpperCase() as Source['circuit'],
  heldChanges: 0,
  recentCalls: null,
  lastSuccessAt: times.last_success_at,
  lastErrorAt: times.last_error_at,
  lastError: times.last_error,
  list: list && {
    publishedOn: list.published_on,
    loadedAt: list.loaded_at,
    checkedAt: list.checked_at,
    syncDueAt: list.sync_due_at,
    goodUntil: list.good_until,
    entries: list.entries,
    rowsUnmatched: list.rows_unmatched,
  },
  attribution,
});

/** The public page at `/status` about the sources, by country. Sources that do not answer are first. */
function StatusPage() {
  const texts = useTexts();
  useTitle(texts('landing.status'));
  const { sources, readAt, failed } = useStatus();
  return (
    <main className="content">
      <div className="row spread">
        <a className="brand" href="/">
          <Logo /> Quipu
        </a>
        <span className="row">
          <Preferences />
        </span>
      </div>
      <header>
        <h1>{texts('landing.status')}</h1>
        <p className="quiet">{texts('sources.hint')}</p>
      </header>
      {failed && (
        <p className="notice" role="alert">
          {texts('problem', { message: texts('unreachable') })}
          {readAt !== null && (
            <>
              {' '}
              ({texts('dataAge')} <Age at={readAt} />)
            </>
          )}
        </p>
      )}
      {!sources && !failed && <SkeletonLines />}
      {sources && <SourceGroups sources={sources} />}
    </main>
  );
}

addTexts(sourceTexts);
mount(<StatusPage />);
