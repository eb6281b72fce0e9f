import type { Knex } from 'knex';
import { lettersOf, maskedOf, type Suppressed } from '../../../sources/receita-federal/copy/suppression.ts';
import type { FieldChange, Snapshot } from '../domain/change.ts';
import { forgetObservations, forgetOwners, lockEstablishments, lockRecordsWith, type StoredRecord } from '../store/erasures.ts';

/**
 * Erases what monitoring stores of a person or a company and has not reported. Of a person: the partners of snapshots that name the person,
 * which are unknown until a check reads them, and the held and the discarded changes of these companies. The next check detects what is
 * still different. Of a company: the held and the discarded changes, because no check reads it any more.
 */
export async function eraseObserved(trx: Knex, one: Suppressed): Promise<void> {
  if (one.kind === 'company') return forgetObservations(trx, await lockEstablishments(trx, one.root));
  const person = { document: maskedOf(one.document), letters: lettersOf(one.name) };
  const found = (await lockRecordsWith(trx, person.document)).filter((record) => isNamedIn(record, person));
  await forgetObservations(trx, idsOf(found));
  await forgetOwners(trx, idsOf(found.filter(({ snapshot }) => isOwner(snapshot, person))));
}

/** A person by the masked CPF and the letters of the name. */
interface Person {
  readonly document: string;
  readonly letters: string;
}

const isNamedIn = ({ snapshot, ignored, observed, fields }: StoredRecord, person: Person): boolean =>
  [snapshot, ignored, observed].some((one) => isOwner(one, person)) || (fields ?? []).some((field) => isInText(field, person));

const isOwner = (snapshot: Snapshot | null, { document, letters }: Person): boolean =>
  snapshot?.owners?.listed?.some((owner) => owner.document === document && lettersOf(owner.name) === letters) ?? false;

const isInText = ({ from, to }: FieldChange, { document, letters }: Person): boolean =>
  [from, to].some((text) => text?.includes(document) && lettersOf(text).includes(letters));

const idsOf = (records: readonly StoredRecord[]): readonly string[] => records.map(({ taxId }) => taxId);
