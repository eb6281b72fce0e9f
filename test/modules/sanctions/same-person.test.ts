import { describe, expect, it } from 'vitest';
import { isSamePerson } from '../../../src/modules/sanctions/domain/review.ts';

const ana = { keyId: '1', keyName: 'Ana', personId: null };
const signedIn = { keyId: '1', keyName: 'Ana Souza', personId: 'a' };

describe('a second person', () => {
  it.each([
    ['the same key under a new name', ana, { ...ana, keyName: 'Bruno' }, true],
    ['another key of the name, in other letter case', ana, { ...ana, keyId: '2', keyName: ' ANA ' }, true],
    ['another key of another name', ana, { keyId: '2', keyName: 'Bruno', personId: null }, false],
    ['another person who signed in through the same key', signedIn, { ...signedIn, keyName: 'Bruno', personId: 'b' }, false],
    ['the same person under a new name through another key', signedIn, { keyId: '2', keyName: 'Ana Lima', personId: 'a' }, true],
    ['another person of the same name', signedIn, { ...signedIn, personId: 'b' }, true],
    ['the key through which the person signed in', signedIn, ana, true],
  ] as const)('%s', (_, decider, approver, isSame) => {
    expect(isSamePerson(decider, approver)).toBe(isSame);
    expect(isSamePerson(approver, decider)).toBe(isSame);
  });
});
