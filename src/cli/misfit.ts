import type { Knex } from 'knex';
import { existingKeySecret } from '../app/data-folder.ts';
import { misfitsOf } from '../app/upgrade.ts';
import type { Config } from '../config.ts';
import { compareKeySecret } from '../db/secret-fingerprint.ts';
import { type Finding, problem } from './finding.ts';

/** Finds contradictions between this version, its settings and a migrated database. It changes nothing. */
export async function misfitFindings(db: Knex, config: Config): Promise<readonly Finding[]> {
  const keySecret = await existingKeySecret(config);
  const isOther = keySecret !== null && (await compareKeySecret(db, keySecret)) === false;
  const { schema, secret } = await misfitsOf(db, !isOther);
  return [
    ...(schema ? [problem('schema', schema.found, schema.advice)] : []),
    ...(secret ? [problem('key secret', secret.found, secret.advice)] : []),
  ];
}
