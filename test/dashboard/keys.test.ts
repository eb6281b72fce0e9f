import { expect, it } from 'vitest';
import { plainKey } from '../../dashboard/ui/keys.ts';

const NONE = { ctrlKey: false, metaKey: false, altKey: false };

it('takes a key that is pressed alone', () => {
  expect(plainKey({ ...NONE, key: 'c' })).toBe('c');
});

it.each(['ctrlKey', 'metaKey', 'altKey'])('leaves a key with %s, such as Ctrl-C, to the browser', (modifier) => {
  expect(plainKey({ ...NONE, key: 'c', [modifier]: true })).toBeNull();
});
