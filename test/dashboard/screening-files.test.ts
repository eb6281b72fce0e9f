import { expect, it } from 'vitest';
import { decoded } from '../../dashboard/state/screening-files.ts';

it.each([
  ['UTF-8', Buffer.from('razón;cnpj', 'utf8')],
  ['UTF-8 with its mark', Buffer.from('\uFEFFrazón;cnpj', 'utf8')],
  ['Windows-1252', Buffer.from('razón;cnpj', 'latin1')],
])('a file in %s is decoded', (_, bytes) => {
  expect(decoded(new Uint8Array(bytes).buffer)).toBe('razón;cnpj');
});
