import type pg from 'pg';
import { type ImportParts, withLock } from './import.ts';
import {
  countErasure,
  deleteChanges,
  deleteCompany,
  erasePartnerChanges,
  namedPartners,
  partnerChanges,
  removeNames,
  versionIds,
} from './store/suppressions.ts';
import { lettersOf, maskedOf, type Suppressed } from './suppression.ts';

/**
 * Erases a person or a company from the loaded versions and the recorded changes between them, under the lock of the imports. Of a person,
 * the row of the partner stays without name and document, so that the number of partners stays. A company counts as a failed source from
 * then on, and never as absent. Answers from before are not served from a cache.
 * @param record stores the hash, so that later imports leave the person or company out; it runs first
 * @throws ImportRefusal `busy`
 */
export const eraseFromCopy = (
  parts: Pick<ImportParts, 'db' | 'origin'>,
  one: Suppressed,
  record: () => Promise<void>,
): Promise<{ readonly rows: number }> =>
  withLock(parts, async (client) => {
    await record();
    let rows = 0;
    for (const id of await versionIds(client, parts.origin))
      rows += one.kind === 'company' ? await deleteCompany(client, id, one.root) : await erasePerson(client, id, one);
    rows += await eraseChanges(client, parts.origin, one);
    await countErasure(client, parts.origin);
    return { rows };
  });

async function erasePerson(
  client: pg.ClientBase,
  id: string,
  { name, document }: Extract<Suppressed, { kind: 'person' }>,
): Promise<number> {
  const letters = lettersOf(name);
  const found = (await namedPartners(client, id, maskedOf(document))).filter((row) => lettersOf(row.name ?? '') === letters);
  return removeNames(client, id, found);
}

async function eraseChanges(client: pg.ClientBase, origin: string, one: Suppressed): Promise<number> {
  if (one.kind === 'company') return deleteChanges(client, origin, one.root);
  const letters = lettersOf(one.name);
  const found = (await partnerChanges(client, origin, maskedOf(one.document))).filter(({ name }) => lettersOf(name ?? '') === letters);
  return erasePartnerChanges(client, origin, found, letters);
}
