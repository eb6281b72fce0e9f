import { expect, it, onTestFinished, vi } from 'vitest';

it('one parameter of the address is replaced or removed, and the others stay', async () => {
  const addresses: unknown[] = [];
  vi.stubGlobal('location', { pathname: '/dashboard/candidates', search: '?q=a+b&dismissed=1&after=x&after=y' });
  vi.stubGlobal('history', { replaceState: (_state: unknown, _title: string, address: string) => addresses.push(address) });
  vi.stubGlobal('addEventListener', () => undefined);
  onTestFinished(() => vi.unstubAllGlobals());
  const { setParameter } = await import('../../dashboard/ui/parameters.ts');
  setParameter('dismissed', '2');
  setParameter('after', ['x']);
  setParameter('dismissed', '');
  setParameter('confirmed', '3');
  expect(addresses).toEqual([
    '/dashboard/candidates?q=a+b&dismissed=2&after=x&after=y',
    '/dashboard/candidates?q=a+b&dismissed=2&after=x',
    '/dashboard/candidates?q=a+b&after=x',
    '/dashboard/candidates?q=a+b&after=x&confirmed=3',
  ]);
});
