import type { Answer, Client } from './client.ts';
import type { Operation } from './operations.ts';

const clients = new WeakMap<Client, Client>();

/**
 * Returns a client that sends each question once while the document is open, and repeats its answer afterwards. A page that counts does not
 * count again when a person returns to it from another page. An answer with an error is not kept. A signal does not end a question, because
 * the service may have counted it already.
 */
export function askingOnce(client: Client): Client {
  const known = clients.get(client);
  if (known) return known;
  const answers = new Map<string, Promise<Answer<unknown>>>();
  const created: Client = {
    ...client,
    ask<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables): Promise<Answer<Data>> {
      const question = JSON.stringify([operation.text, variables]);
      const kept = answers.get(question) as Promise<Answer<Data>> | undefined;
      if (kept) return kept;
      const asked = client.ask(operation, variables);
      answers.set(question, asked);
      const forget = (): void => void answers.delete(question);
      asked.then(({ data, errors }) => {
        if (data === null || errors.length > 0) forget();
      }, forget);
      return asked;
    },
  };
  clients.set(client, created);
  return created;
}
