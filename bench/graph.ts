import path from 'node:path';
import { DAY_MS, isoDate } from '../src/domain/time.ts';
import { openDocumentStore } from './graph/document-store.ts';
import { copyRows, importMonth, type MonthImport, sizeOfVersion } from './graph/imports.ts';
import { measureQuestions } from './graph/measure.ts';
import { writeMonth } from './graph/month-files.ts';
import { renderGraph } from './graph/render.ts';
import type { GraphReport } from './graph/report.ts';
import { drawSamples } from './graph/samples.ts';
import type { Bench } from './harness/bench.ts';
import { describeMachine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { startPostgres } from './imports/postgres.ts';
import { hasPsql } from './imports/runs.ts';

const UNPINNED = { server: [], load: [], note: 'not pinned: Postgres and its client share the CPUs' };
/** Ids of the versions of the two months in a new database. */
const [EARLIER, LATER] = ['1', '2'];
/** Days between the extracts and the run. */
const [EARLIER_DAYS, LATER_DAYS] = [45, 15];

export const graph: Bench = {
  name: 'graph',
  description: 'the copy of the Brazilian registry: import and questions, against \\copy and a store of JSONB documents',
  run: ({ rounds, establishments }, progress) =>
    onStage(UNPINNED, async ({ dir }) => {
      const machine = describeMachine(UNPINNED);
      const today = Date.now();
      const dates = [EARLIER_DAYS, LATER_DAYS].map((days) => isoDate(today - days * DAY_MS));
      const [earlier = '', later = ''] = dates;
      progress(`writing two months of ${establishments.toLocaleString('en-US')} establishments`);
      const first = await writeMonth(path.join(dir, 'earlier'), establishments, earlier, false);
      const second = await writeMonth(path.join(dir, 'later'), establishments, later, true);
      const postgres = await startPostgres(dir);
      const usesPsql = hasPsql();
      try {
        return await postgres.afresh(async (url) => {
          const cluster = path.join(dir, 'data/postgres');
          const note = (month: string, { seconds, rowsSeconds }: MonthImport) =>
            progress(`${month} imported in ${seconds.toFixed(1)} s, of which rows ${rowsSeconds.toFixed(1)} s`);
          const one = await importMonth(url, first.folder, cluster);
          note('the first month', one);
          const copySeconds = await copyRows(url, EARLIER, dir, usesPsql);
          progress(`the same rows copied in ${copySeconds.toFixed(1)} s`);
          const other = await importMonth(url, second.folder, cluster);
          note('the second month', other);
          const versionBytes = await sizeOfVersion(url, LATER);
          const store = await openDocumentStore(url, LATER);
          progress(`store of documents built in ${store.buildSeconds.toFixed(1)} s`);
          try {
            const questions = await measureQuestions(url, await drawSamples(url, LATER), { store, asOf: earlier, rounds, progress });
            const report: GraphReport = {
              ...{ bench: 'graph', machine, options: { rounds, establishments }, monthBytes: first.bytes, imports: [one, other] },
              ...{ copySeconds, usesPsql, versionBytes, questions },
              documents: { buildSeconds: store.buildSeconds, bytes: store.bytes },
            };
            return { report, text: renderGraph(report) };
          } finally {
            await store.close();
          }
        });
      } finally {
        await postgres.stop();
      }
    }),
};
