import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';

const { cnpj } = companyByScenario('clean');

/** One request: `right`, `refused` with a status or an error, or the text of a wrong answer. */
export interface Asked {
  /** Epoch ms of its start and its end. */
  readonly from: number;
  readonly to: number;
  readonly result: string;
}

/** Checks one company by REST and by GraphQL in turn. Nothing is repeated. */
export function requester(url: string, key: string): () => Promise<Asked> {
  let n = 0;
  return async () => {
    n += 1;
    const [path, body] =
      n % 2 === 0
        ? ['/v1/kyb', { identifier: cnpj, country: 'BR' }]
        : ['/graphql', { query: `{ company(identifier: "${cnpj}") { kyb { status } } }` }];
    const from = Date.now();
    const result = await ask(`${url}${path}`, key, body);
    return { from, to: Date.now(), result };
  };
}

async function ask(url: string, key: string, body: object): Promise<string> {
  try {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) return `refused: ${answer.status}`;
    if (/"status":"active"/i.test(text)) return 'right';
    return /"code":"[A-Z_]+"/.test(text) ? `refused: ${text}` : text;
  } catch (error) {
    return `refused: ${(error as { cause?: { code?: string } }).cause?.code ?? error}`;
  }
}
