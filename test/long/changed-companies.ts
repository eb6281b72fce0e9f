import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { expect } from 'vitest';
import { fillerCompanies } from '../../sandbox/world/brazil/companies/clean.ts';
import { ACTIVITIES, type Activity } from '../../sandbox/world/brazil/tables.ts';

/** Companies of the sandbox that change during a test. */
export const WATCHED = fillerCompanies.map(({ cnpj }) => cnpj);
/** The activities of each company in order; a company gets the next one after the log contains the last one. */
const PATH: readonly Activity[] = ['0134200', '0151201', '4771701', '5510801', '8520100', '6202300'];

/** Creates a monitor of these companies with a webhook. */
export async function createMonitor(
  url: string,
  key: string,
  webhookUrl: string,
): Promise<{ readonly subscription_id: string; readonly secret: string }> {
  const answer = await fetch(`${url}/v1/monitor/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ identifiers: WATCHED, country: 'BR', webhook_url: webhookUrl, retry_policy: 'standard' }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { subscription_id: string; secret: string };
}

/** Changes each watched company after the log contains its last change. `finish` waits for the last ones, and returns the activities of each company. */
export function changeCompanies(db: Knex, upstreams: string) {
  const moves = new Map<string, string[]>(WATCHED.map((cnpj) => [cnpj, []]));
  let ending = false;

  async function move(cnpj: string, code: string): Promise<void> {
    const answer = await fetch(`${upstreams}/_control/companies/${cnpj}`, {
      method: 'PATCH',
      body: JSON.stringify({ activity: code }),
    });
    expect(answer.status).toBe(200);
    moves.get(cnpj)?.push(code);
  }

  /** Waits until the company has a baseline, which is no change, and until its last change is in the log. */
  async function seen(cnpj: string): Promise<void> {
    for (;;) {
      const watched = await db('watched_companies').where({ tax_id: cnpj }).whereNotNull('snapshot').first();
      const { count } = (await db('changes').where({ tax_id: cnpj }).count({ count: '*' }).first()) as { count: string };
      if (watched && Number(count) >= (moves.get(cnpj)?.length ?? 0)) return;
      await sleep(100);
    }
  }

  const players = WATCHED.map(async (cnpj, i) => {
    await seen(cnpj);
    let last: string | undefined = fillerCompanies[i]?.activity;
    for (let nth = i; !ending; nth += 1) {
      const next = PATH[nth % PATH.length] ?? '';
      if (next === last) continue; // no change at all
      last = next;
      await move(cnpj, next);
      await seen(cnpj);
      await sleep(randomInt(0, 1_000));
    }
  });
  return {
    async finish(): Promise<Record<string, readonly string[]>> {
      ending = true;
      await Promise.all(players);
      return Object.fromEntries([...moves].map(([cnpj, codes]) => [cnpj, codes.map((code) => ACTIVITIES[code as Activity])]));
    },
  };
}

/** A row of the change log. */
export interface Logged {
  readonly position: number;
  readonly id: string;
  readonly tax_id: string;
  readonly fields: readonly { readonly field: string; readonly to: string }[];
}

export const readLog = async (db: Knex): Promise<readonly Logged[]> =>
  (await db('changes').orderBy('position')).map((row) => ({ ...row, position: Number(row.position) }));

/** The logged activities of each watched company. */
export const perCompany = (log: readonly Logged[]): Record<string, readonly string[]> =>
  Object.fromEntries(WATCHED.map((cnpj) => [cnpj, log.filter(({ tax_id }) => tax_id === cnpj).map(({ fields }) => fields[0]?.to ?? '')]));
