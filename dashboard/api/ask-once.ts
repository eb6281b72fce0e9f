import type { Answer, Client } from './client.ts';
import type { Operation } from './operations.ts';

const clients = new WeakMap<Client, Client>();

/**
 * Returns a client that sends each question once while the document is open, and repeats its answer afterwards. A page that counts does not
 * count again when a person returns to it from another page. An answer with an error is not kept.
 */
export function askingOnce(client: Client): Client {
  const known = clients.get(client);
  if (known) return known;
  const answers = new Map<string, Answer<unknown>>();
  const created: Client = {
    ...client,
    async ask<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Answer<Data>> {
      const question = JSON.stringify([operation.text, variables]);
      const kept = answers.get(question) as Answer<Data> | undefined;
      if (kept) return kept;
      const answer = await client.ask(operation, variables, signal);
      if (answer.data !== null && answer.errors.length === 0) answers.set(question, answer);
      return answer;
    },
  };
  clients.set(client, created);
  return created;
}
