import type { Knex } from 'knex';
import { existingKeySecret } from '../app/data-folder.ts';
import { OTHER_SECRET, schemaSentence } from '../app/upgrade.ts';
import type { Config } from '../config.ts';
import { unknownMigrations } from '../db/migrations.ts';
import { compareKeySecret } from '../db/secret-fingerprint.ts';
import { type Finding, problem } from './finding.ts';

/** What does not fit between this version, its settings and a migrated database. */
export async function misfitFindings(db: Knex, config: Config): Promise<readonly Finding[]> {
  const [unknown, secret] = await Promise.all([unknownMigrations(db), existingKeySecret(config)]);
  const isOther = secret !== null && (await compareKeySecret(db, secret)) === false;
  return [
    ...(unknown.length > 0 ? [misfit('schema', schemaSentence(unknown))] : []),
    ...(isOther ? [misfit('key secret', OTHER_SECRET)] : []),
  ];
}

/** The sentence says what is found and, after its colon, what to do. */
function misfit(check: string, sentence: string): Finding {
  const [found = '', advice = ''] = sentence.split(/: (.*)/s);
  return problem(check, found, advice);
}
