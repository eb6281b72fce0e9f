import type { Found } from '../../../domain/answer.ts';
import { companyName, isPersonalNature, placeOf } from '../company.ts';
import { natureCode } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { findByName, type NamePosition, type NameQuery, type NameRow, type NameRows } from './store/find-by-name.ts';

/** An establishment that was found by its name. A field is null where the registry has no value. */
export interface NamedEstablishment extends NamePosition {
  readonly matched: NameRow['matched'];
  /** Legal name; the trade name for a natural person, whose legal name a search does not show. */
  readonly name: string;
  readonly tradeName: string | null;
  readonly isActive: boolean;
  readonly municipality: string | null;
  readonly state: string | null;
  /** ISO date. */
  readonly startedOn: string | null;
}

/** A page of establishments, the best names first. */
export interface NamedEstablishments extends Omit<NameRows, 'rows'> {
  /** True if lines of the files could not be read, or the operator has erased companies, so that one may be missing. */
  readonly lacksRows: boolean;
  readonly items: readonly NamedEstablishment[];
}

/** Returns a page for every query, by one statement each. @throws AppError SOURCE_UNAVAILABLE */
export const readByName = (copy: ReceitaCopy, queries: readonly NameQuery[]): Promise<Found<readonly NamedEstablishments[]>> =>
  copy.read((db, { id, lacksRows, hasErasedCompanies }) =>
    Promise.all(
      queries.map(async (query) => {
        const { rows, ...page } = await findByName(db, id, query);
        return { ...page, lacksRows: lacksRows || hasErasedCompanies, items: rows.map(toNamed) };
      }),
    ),
  );

function toNamed({ name, tradeName: printed, nature, isMei, ...row }: NameRow): NamedEstablishment {
  const isPersonal = isPersonalNature(natureCode(nature), isMei);
  const tradeName = companyName(printed, isPersonal);
  const { municipality } = placeOf(row.state, row.municipality);
  return { ...row, municipality, tradeName, name: (isPersonal ? tradeName : companyName(name, false)) ?? '' };
}
