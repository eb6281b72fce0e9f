import { expect, it } from 'vitest';
import { FINDING_CODES } from '../../../src/domain/compliance.ts';
import { reasonText } from '../../../src/modules/screening/domain/file-texts.ts';

it.each(FINDING_CODES)('a reason of the kind %s has a text of its own in Spanish and Portuguese files', (code) => {
  const stored = `check.${code}: A sentence in English.`;
  const [spanish, portuguese] = [reasonText(stored, 'es'), reasonText(stored, 'pt')];
  expect(new Set([stored, spanish, portuguese]).size).toBe(3);
  expect(reasonText(stored, null)).toBe(stored);
});

it('a reason of a kind that a newer release adds stays as it was stored', () => {
  expect(reasonText('check.later: A sentence in English.', 'es')).toBe('check.later: A sentence in English.');
});
