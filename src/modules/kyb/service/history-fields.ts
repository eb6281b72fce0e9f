import type { RequestContext } from '../../../context.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { requireModule } from '../../../metering/ask.ts';
import { PARTNER_FIELDS, REGISTRY_FIELDS, type RegistryField } from '../../../sources/receita-federal/copy/change-field.ts';

const isOfPartners = (field: RegistryField): boolean => PARTNER_FIELDS.some((one) => one === field);

/**
 * Returns the fields of a history in their order: the requested ones, or all that the key may read. Changes of partners need the module
 * `owners`, too.
 * @param requested null for all
 * @throws AppError MODULE_NOT_ENABLED if changes of partners are requested without the module, INVALID_INPUT for an empty list
 */
export function historyFields(
  { caller }: Pick<RequestContext, 'caller'>,
  requested: readonly RegistryField[] | null,
): readonly RegistryField[] {
  if (requested?.length === 0) throw invalidInput('fields', fieldMessages.oneField());
  if (requested?.some(isOfPartners)) requireModule(caller, 'owners');
  const mayReadPartners = caller.modules.has('owners');
  return REGISTRY_FIELDS.filter((field) => requested?.includes(field) ?? (mayReadPartners || !isOfPartners(field)));
}
