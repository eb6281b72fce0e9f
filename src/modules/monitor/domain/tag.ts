import { invalidInput } from '../../../domain/errors.ts';
import { maskCpfs } from '../../../domain/personal-ids.ts';
import { storable } from '../../../domain/text.ts';
import { tagMessages } from '../../../messages/monitors.ts';

/** Maximum number of tags of a company in an account. */
export const MAX_TAGS = 20;
/** Maximum length of a tag in characters. */
export const MAX_TAG_LENGTH = 40;

/**
 * Reads tags as they are stored: in NFC, with single blanks and masked CPFs, each once.
 * @throws AppError INVALID_INPUT on `field` or `field.N`
 */
export function readTags(texts: readonly string[], field: string): readonly string[] {
  if (texts.length > MAX_TAGS) throw invalidInput(field, tagMessages.given({ max: MAX_TAGS }));
  return [...new Set(texts.map((text, i) => readTag(text, `${field}.${i}`)))];
}

function readTag(text: string, field: string): string {
  const tag = maskCpfs(storable(text).normalize('NFC').replace(/\s+/g, ' ').trim());
  if (tag === '') throw invalidInput(field, tagMessages.empty());
  if (tag.length > MAX_TAG_LENGTH) throw invalidInput(field, tagMessages.length({ max: MAX_TAG_LENGTH }));
  return tag;
}
