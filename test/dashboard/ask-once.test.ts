import { expect, it, vi } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { askingOnce } from '../../dashboard/api/ask-once.ts';
import type { Client } from '../../dashboard/api/client.ts';
import { FindByDomain } from '../../dashboard/api/operations.ts';

/** A client whose first answer about a domain has an error. */
function failingFirst() {
  const sent: string[] = [];
  const ask = async (_: unknown, { domain }: { readonly domain: string }) => {
    sent.push(domain);
    const isFirst = sent.filter((one) => one === domain).length === 1;
    return { data: { domainOwner: null }, errors: isFirst ? [new QuipuError('SOURCE_UNAVAILABLE', 'away')] : [] };
  };
  return { sent, client: { ask } as unknown as Client };
}

it('a question is sent once, unless its answer has an error, and again for another session', async () => {
  const { sent, client } = failingFirst();
  const ask = (domain: string) => askingOnce(client).ask(FindByDomain, { domain });
  expect((await ask('a.cl')).errors).toHaveLength(1);
  expect((await ask('a.cl')).errors).toEqual([]);
  expect((await ask('a.cl')).errors).toEqual([]);
  expect(sent).toEqual(['a.cl', 'a.cl']);
  await ask('b.cl');
  expect(sent).toEqual(['a.cl', 'a.cl', 'b.cl']);
  const other = failingFirst();
  await askingOnce(other.client).ask(FindByDomain, { domain: 'a.cl' });
  expect(other.sent).toEqual(['a.cl']);
});

it('a question is sent once also while its answer is on its way, and is not ended with the page that asked it', async () => {
  const sent: (AbortSignal | undefined)[] = [];
  const answered = Promise.withResolvers<unknown>();
  const ask = (_operation: unknown, _variables: unknown, signal?: AbortSignal) => {
    sent.push(signal);
    return answered.promise;
  };
  const client = askingOnce({ ask } as unknown as Client);
  const left = client.ask(FindByDomain, { domain: 'a.cl' }, AbortSignal.abort());
  const back = client.ask(FindByDomain, { domain: 'a.cl' });
  answered.resolve({ data: { domainOwner: null }, errors: [] });
  expect(await left).toBe(await back);
  expect(sent).toEqual([undefined]);
});

it('a question is sent again after no answer came', async () => {
  const ask = vi
    .fn()
    .mockRejectedValueOnce(new QuipuError('UNREACHABLE', 'away'))
    .mockResolvedValue({ data: { domainOwner: null }, errors: [] });
  const client = askingOnce({ ask } as unknown as Client);
  await expect(client.ask(FindByDomain, { domain: 'a.cl' })).rejects.toThrow('away');
  expect((await client.ask(FindByDomain, { domain: 'a.cl' })).errors).toEqual([]);
});
