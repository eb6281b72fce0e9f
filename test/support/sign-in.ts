import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { SANDBOX_KEY_SECRET } from '../../src/config/core.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import type { Role } from '../../src/domain/roles.ts';
import { databaseFor, type TestApp, type TestAppOptions, testApp } from './app.ts';
import type { TestDb } from './db.ts';
import { CLIENT_ID, CLIENT_SECRET, TestIssuer } from './issuer.ts';

/** Address of the service, as its people know it. Requests are injected, so that nothing listens there. */
export const PUBLIC_URL = 'http://quipu.test';

export const ROLES = { analysts: 'decide', 'quipu-admins': 'administer', staff: 'read' };

/** The service with an issuer on loopback, and the key through which its people act. */
export interface SignInRun {
  readonly app: TestApp;
  readonly issuer: TestIssuer;
  readonly keyId: string;
  readonly db: TestDb;
  close(): Promise<void>;
}

/** Settings of an issuer for the people of a key. */
export const issuerEnv = (issuer: TestIssuer, keyId: string): Readonly<Record<string, string>> => ({
  QUIPU_PUBLIC_URL: PUBLIC_URL,
  QUIPU_OIDC_ISSUER: issuer.url,
  QUIPU_OIDC_CLIENT_ID: CLIENT_ID,
  QUIPU_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  QUIPU_OIDC_NAME: 'Acme',
  QUIPU_OIDC_KEY: keyId,
  QUIPU_OIDC_ROLES: JSON.stringify(ROLES),
});

export async function startSignIn({
  env = {},
  keyRole,
  ...options
}: TestAppOptions & { readonly keyRole?: Role } = {}): Promise<SignInRun> {
  const issuer = await new TestIssuer().start();
  const db = await databaseFor({ ...options, env });
  const keys = createKeys({ db: db.knex, now: Date.now, secret: SANDBOX_KEY_SECRET });
  const { id: keyId } = await keys.create({ name: 'people of Acme', modules: MODULES, ...(keyRole && { role: keyRole }) });
  const app = await testApp({ listsTried: false, ...options, db, env: { ...issuerEnv(issuer, keyId), ...env } });
  return {
    app,
    issuer,
    keyId,
    db,
    async close() {
      await app.close();
      await issuer.close();
      await db.close();
    },
  };
}

export interface BrowserAnswer {
  readonly status: number;
  readonly location: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A browser, as far as the sign-in needs one: it keeps the cookies of the service, and follows redirects when it is asked to. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #app: TestApp;
  readonly #address: string;

  constructor({ app }: Pick<SignInRun, 'app'>, address = '127.0.0.1') {
    this.#app = app;
    this.#address = address;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends a request to the service. */
  async send(method: 'GET' | 'POST', url: string, { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {}) {
    const answer = await this.#app.server.inject({
      method,
      url,
      remoteAddress: this.#address,
      headers: { ...(this.cookies.size > 0 && { cookie: this.cookie }), ...headers },
      ...(body && { payload: body }),
    });
    for (const text of [answer.headers['set-cookie'] ?? []].flat()) this.#keep(text);
    return {
      status: answer.statusCode,
      location: String(answer.headers.location ?? ''),
      body: answer.body,
      headers: answer.headers,
    } satisfies BrowserAnswer;
  }

  #keep(text: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (/Max-Age=0(;|$)/.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** Begins a sign-in and lets the issuer sign the person in. Returns path and query of the address to which it sends the browser back. */
  async authorize(to?: string): Promise<string> {
    const begun = await this.send('GET', `/auth/sign-in${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`);
    if (begun.status !== 303) throw new Error(`the sign-in did not begin: ${begun.status} ${begun.body}`);
    return this.atIssuer(begun.location);
  }

  async atIssuer(address: string): Promise<string> {
    const { status, headers } = await fetch(address, { redirect: 'manual' });
    if (status !== 302) throw new Error(`the issuer answered ${status}`);
    const { pathname, search } = new URL(headers.get('location') ?? '');
    return pathname + search;
  }

  /** Signs the person of the issuer in. Returns the answer to the callback. */
  async signIn(to?: string): Promise<BrowserAnswer> {
    return this.send('GET', await this.authorize(to));
  }

  /** Sends a GraphQL operation as the pages do. */
  async query(query: string, headers: Record<string, string> = {}) {
    const { status, body } = await this.send('POST', '/graphql', {
      headers: { 'x-api-key': 'session', origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin', ...headers },
      body: { query },
    });
    return { status, ...JSON.parse(body) };
  }
}
