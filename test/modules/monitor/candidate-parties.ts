import { createHash } from 'node:crypto';
import type { OfacParty } from '../../../sandbox/upstreams/sanctions/ofac-parties.ts';

/** A listed company. The name of each number differs from all others in every word. */
export const party = (n: number, more: Partial<OfacParty> = {}): OfacParty => ({
  uid: 1_000 + n,
  type: 'Entity',
  name: `${nameOf(n)} SA`,
  givenName: '',
  title: '',
  programs: ['SDNTK'],
  ids: [],
  aliases: [],
  addresses: [],
  vessel: null,
  births: [],
  nationalities: [],
  remarks: [],
  ...more,
});

/** Two made-up words. */
export const nameOf = (n: number): string => {
  const bytes = createHash('sha256').update(String(n)).digest();
  return [0, 4].map((start) => [...bytes.subarray(start, start + 4)].map((byte) => SYLLABLES[byte % SYLLABLES.length]).join('')).join(' ');
};
const SYLLABLES = ['KA', 'ZU', 'TRI', 'VO', 'PEX', 'LIM', 'QUO', 'DRA', 'FEN', 'JUB', 'SOL', 'WIK', 'GOR', 'NUX', 'BEL', 'HYM'];
/** A list is refused when it has no tax ids, or grows or shrinks by more than a few percent. */
export const UNRELATED = Array.from({ length: 200 }, (_, n) =>
  party(9_000 + n, { ids: [{ type: 'NIT #', number: String(999_000_000 + n), country: 'Colombia' }] }),
);
