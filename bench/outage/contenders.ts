import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as checks from '../checks/contenders.ts';
import { byHand } from '../checks/contenders.ts';
import * as compliance from '../compliance/contenders.ts';
import { complianceOf } from '../compliance/questions.ts';
import { BenchFailure } from '../harness/bench.ts';
import { type Contender, startAll, targetOf } from '../harness/contender.ts';
import type { LoadRequest } from '../harness/load.ts';
import type { Stage } from '../harness/stage.ts';
import type { UsageTable } from './accounting.ts';

/** A server whose usage is compared with its answers. */
export interface AwayServer {
  readonly name: string;
  readonly table: UsageTable;
  /** Name of a stream → its request, whose answer is in the caches. */
  readonly requests: Readonly<Record<string, LoadRequest>>;
}

export const [QUIPU, BY_HAND] = [checks.QUIPU, checks.BY_HAND];
/** Time after which the usage of the requests that filled the caches is recorded. */
const SETTLE_MS = 2_000;

/** Starts our server and the one by hand on a database, and fills their caches. */
export async function startServers(stage: Stage, databaseUrl: string, progress: (line: string) => void): Promise<readonly AwayServer[]> {
  const [preparedDir, dataDir] = [path.join(stage.dir, 'prepared'), path.join(stage.dir, 'data')];
  const shared = await compliance.startShared(stage);
  const shipped = compliance.quipu({ ...shared, dataDir });
  const [ours] = await startAll(stage, [{ ...shipped, env: { ...shipped.env, DATABASE_URL: databaseUrl } }], progress);
  if (!ours) throw new BenchFailure('no server was started');
  const viaRest = { ...ours, contender: { ...ours.contender, pathOf: checks.quipu(dataDir).pathOf } };
  await checks.prepare([checks.consolidated], viaRest, preparedDir);
  await compliance.fillCaches(1, [ours]);
  const theirs: Contender = byHand(preparedDir, { DATABASE_URL: databaseUrl });
  const [other] = await startAll(stage, [theirs], progress);
  if (!other) throw new BenchFailure('no server was started');
  await delay(SETTLE_MS);
  return [
    {
      name: QUIPU,
      table: 'usage_events',
      requests: { REST: targetOf(checks.consolidated)(viaRest).request, GraphQL: targetOf(complianceOf(1))(ours).request },
    },
    { name: BY_HAND, table: 'hand_written.usage', requests: { REST: targetOf(checks.consolidated)(other).request } },
  ];
}
