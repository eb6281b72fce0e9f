import { invalidInput } from '../../domain/errors.ts';

/** Parses the body of a control API request. @throws AppError INVALID_INPUT on `body` for a body that is no JSON object, or has a field outside `fields` */
export function parseObject(body: string, { fields, example }: { readonly fields: readonly string[]; readonly example: string }): object {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidInput('body', `The body is not JSON; send for example ${example}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput('body', `The body is a JSON object, for example ${example}.`);
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown) throw invalidInput('body', `There is no field "${unknown}". There are: ${fields.join(', ')}.`);
  return value;
}
