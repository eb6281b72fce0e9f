import { expect, it, onTestFinished, vi } from 'vitest';

type Change = (state: unknown, title: string, address: string) => void;

/** Imports the code that reads and writes the address, in place of a browser. */
async function inBrowser(replaceState: Change, pushState: Change = () => undefined) {
  vi.stubGlobal('location', { pathname: '/dashboard/candidates', search: '' });
  vi.stubGlobal('history', { replaceState, pushState });
  vi.stubGlobal('addEventListener', () => undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { query } = await import('../../dashboard/ui/route.ts');
  return { query, ...(await import('../../dashboard/ui/parameters.ts')) };
}

it('one parameter of the address is replaced or removed, and the others stay', async () => {
  const addresses: string[] = [];
  const { replaceParameters, setParameter } = await inBrowser((_state, _title, address) => void addresses.push(address));
  replaceParameters({ q: 'a b', dismissed: '1', after: ['x', 'y'] });
  setParameter('dismissed', '2');
  setParameter('after', ['x']);
  setParameter('dismissed', '');
  setParameter('confirmed', '3');
  expect(addresses).toEqual([
    '/dashboard/candidates?q=a+b&dismissed=1&after=x&after=y',
    '/dashboard/candidates?q=a+b&dismissed=2&after=x&after=y',
    '/dashboard/candidates?q=a+b&dismissed=2&after=x',
    '/dashboard/candidates?q=a+b&after=x',
    '/dashboard/candidates?q=a+b&after=x&confirmed=3',
  ]);
});

it('a step of a list adds an entry to the history, and another change replaces the present one', async () => {
  const changes: string[] = [];
  const { query, replaceParameters, setParameter } = await inBrowser(
    (_state, _title, address) => void changes.push(`replaced: ${address}`),
    (_state, _title, address) => void changes.push(`added: ${address}`),
  );
  replaceParameters({ q: 'a' });
  setParameter('after', ['x'], 'pushState');
  expect(query.get()).toBe('?q=a&after=x');
  replaceParameters({ page: '2' }, 'pushState');
  expect(changes).toEqual([
    'replaced: /dashboard/candidates?q=a',
    'added: /dashboard/candidates?q=a&after=x',
    'added: /dashboard/candidates?page=2',
  ]);
});

it('a filter is shown also when the browser refuses to change the address', async () => {
  const { query, replaceParameters } = await inBrowser(() => {
    throw new Error('more than 100 times per 30 seconds');
  });
  replaceParameters({ q: 'ab' });
  expect(query.get()).toBe('?q=ab');
});
