/**
 * Numbers of promises that a full run reaches. Tests use them; test/promises.test.ts compares them with the sentences of docs/promises.md.
 */
export const OWN = {
  'WH-11': { deletions: 50, pendingDeliveries: 500 },
  'MO-02': { processes: 3, companies: 10_000, monitors: 100, windows: 5 },
  'MO-03': { kills: 30, companies: 500, takeoverSeconds: 60 },
  'MO-04': { suspensions: 30, suspendedSeconds: 120 },
  'DB-01': { crashes: 20, postgresKills: 30 },
  'DB-10': { seconds: 20, percent: 99 },
  'DB-11': { switches: 60, perSecond: 2_000 },
  'MT-04': { checks: 1_000, postgresKills: 30 },
  'MT-07': { rounds: 30 },
  'CG-01': { kills: 20 },
  'CG-03': { companies: 1_000, owners: 1_000, pairs: 500 },
  'CG-04': { changes: 10_000 },
} as const;
