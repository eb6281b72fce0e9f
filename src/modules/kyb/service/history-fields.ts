import type { RequestContext } from '../../../context.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { requireModule } from '../../../metering/ask.ts';
import { HISTORY_FIELDS_OF, HISTORY_PARTNER_FIELDS, type HistoryCountry, type HistoryField } from '../loaders/history.ts';

const isOfPartners = (field: HistoryField): boolean => HISTORY_PARTNER_FIELDS.includes(field);

/**
 * Returns the fields of a history in their order: the requested ones of those that the country has, or all that the key may read. Changes of
 * partners need the module `owners`, too.
 * @param requested null for all
 * @throws AppError MODULE_NOT_ENABLED if changes of partners are requested without the module, INVALID_INPUT for an empty list,
 * and for fields of other countries only, so that no answer means "no change" of what is not recorded
 */
export function historyFields(
  { caller }: Pick<RequestContext, 'caller'>,
  country: HistoryCountry,
  requested: readonly HistoryField[] | null,
): readonly HistoryField[] {
  if (requested?.length === 0) throw invalidInput('fields', fieldMessages.oneField());
  if (requested?.some(isOfPartners)) requireModule(caller, 'owners');
  const known = HISTORY_FIELDS_OF[country];
  if (requested && !requested.some((field) => known.includes(field)))
    throw invalidInput('fields', fieldMessages.otherFields({ country, fields: known.join(', ') }));
  const mayReadPartners = caller.modules.has('owners');
  return known.filter((field) => requested?.includes(field) ?? (mayReadPartners || !isOfPartners(field)));
}
