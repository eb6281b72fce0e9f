import { Command } from 'commander';
import { auditLog } from '../audit/audit-log.ts';
import { invalidInput } from '../domain/errors.ts';
import { DURATION, durationMs, isIsoDate, isoWithOffset } from '../domain/time.ts';
import type { AccountStore } from './accounts.ts';
import { type Io, JSON_HELP, json, runOn, tableText } from './run.ts';

interface Options {
  readonly since: string;
  readonly subject?: string;
  readonly json?: boolean;
}

/** Creates `audit`, which prints the audit log. @param openDb called when the arguments are valid */
export const auditCommand = (openDb: () => Promise<AccountStore>, io: Io): Command =>
  new Command('audit')
    .description(
      'Print the audit log, oldest first: changes of accounts, keys, monitors, decisions about candidates and held changes, with their actor',
    )
    .option('--since <when>', 'first day in UTC (YYYY-MM-DD), or a duration before now, e.g. 12h, 90d', '30d')
    .option('--subject <id>', 'entries of one key, account or monitor: its id, or the first characters of the id')
    .option('--json', JSON_HELP)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .action(({ since, subject, json: asJson }: Options) =>
      runOn(openDb, io, async (open) => {
        const from = readSince(since);
        const entries = await auditLog((await open()).db, { since: from, ...(subject !== undefined && { subject }) });
        if (asJson) return json(entries.map((entry) => ({ ...entry, at: isoWithOffset(entry.at) })));
        if (entries.length === 0) return 'There are no entries.\n';
        const rows = entries.map(({ at, actor, action, subject, facts }) => [isoWithOffset(at), actor, action, subject, factsText(facts)]);
        return tableText(['time', 'actor', 'action', 'subject', 'facts'], rows);
      }),
    );

const factsText = (facts: Readonly<Record<string, unknown>> = {}): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`)
    .join(' ');

/** Parses a day, or a duration before now, to epoch ms. */
function readSince(text: string): number {
  if (isIsoDate(text)) return Date.parse(`${text}T00:00:00Z`);
  if (DURATION.test(text)) return Math.max(0, Date.now() - durationMs(text));
  throw invalidInput('since', `"${text}" is neither a day (2027-01-31) nor a duration (90d).`);
}
