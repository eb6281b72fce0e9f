import { expect, it } from 'vitest';
import { upstreamCapabilities } from '../../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';

it.each([
  ['sandbox', 'sandbox', 'x', { hasApi: true, hasFiles: true, hasIndex: true, apiFallback: true }],
  ['live', 'live', 'x', { hasApi: true, hasFiles: true, hasIndex: true, apiFallback: true }],
  ['live', 'live', '', { hasApi: false, hasFiles: true, hasIndex: true, apiFallback: false }],
  ['given', 'given', '', { hasApi: true, hasFiles: true, hasIndex: true, apiFallback: true }],
  ['given', 'live', '', { hasApi: true, hasFiles: false, hasIndex: true, apiFallback: true }],
  ['given', 'sandbox', 'x', { hasApi: true, hasFiles: false, hasIndex: false, apiFallback: true }],
  ['live', 'given', 'x', { hasApi: true, hasFiles: true, hasIndex: true, apiFallback: false }],
  ['sandbox', 'given', 'x', { hasApi: true, hasFiles: true, hasIndex: true, apiFallback: false }],
] as const)('an API that is %s and files that are %s, ticket `%s`', (api, files, ticket, capabilities) => {
  expect(upstreamCapabilities(api, files, ticket)).toEqual(capabilities);
});
