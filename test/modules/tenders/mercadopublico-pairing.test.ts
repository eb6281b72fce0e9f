import { expect, it } from 'vitest';
import { pairingOf } from '../../../src/modules/tenders/sources/mercadopublico/pairing.ts';

it.each([
  ['sandbox', 'sandbox', 'x', { canAsk: true, hasFiles: true, hasIndex: true, standsIn: true }],
  ['live', 'live', 'x', { canAsk: true, hasFiles: true, hasIndex: true, standsIn: true }],
  ['live', 'live', '', { canAsk: false, hasFiles: true, hasIndex: true, standsIn: false }],
  ['given', 'given', '', { canAsk: true, hasFiles: true, hasIndex: true, standsIn: true }],
  ['given', 'live', '', { canAsk: true, hasFiles: false, hasIndex: true, standsIn: true }],
  ['given', 'sandbox', 'x', { canAsk: true, hasFiles: false, hasIndex: false, standsIn: true }],
  ['live', 'given', 'x', { canAsk: true, hasFiles: true, hasIndex: true, standsIn: false }],
  ['sandbox', 'given', 'x', { canAsk: true, hasFiles: true, hasIndex: true, standsIn: false }],
] as const)('an API that is %s and files that are %s, ticket `%s`', (api, files, ticket, pairing) => {
  expect(pairingOf(api, files, ticket)).toEqual(pairing);
});
