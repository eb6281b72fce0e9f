import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Mistakes of an issuer. */
export interface IssuerFaults {
  /** Claims that replace those of the next ID tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** True if ID tokens are signed with a key that is not published. */
  readonly signsWithOtherKey?: boolean;
  /** Answer to every request: a status with a body, or nothing, until the client gives up. */
  readonly answers?: { readonly status: number; readonly body: string } | 'never';
  /** Path of the requests with these answers; all by default. */
  readonly at?: string;
}

/** A person as the issuer knows her. `inUserinfo`: claims that it sends from the userinfo endpoint only. */
export interface IssuerPerson {
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly inUserinfo?: Readonly<Record<string, unknown>>;
}

interface Grant {
  readonly person: IssuerPerson;
  readonly redirectUri: string;
  readonly nonce: string | null;
  readonly challenge: string | null;
}

export const CLIENT_ID = 'quipu-tests';
export const CLIENT_SECRET = 'a-client-secret-of-the-tests';

/**
 * An issuer of OpenID Connect on loopback: discovery, authorization code with PKCE, ID tokens (RS256), userinfo. It signs in the person of
 * `person` without a form. It uses nothing of the service and of its library.
 */
export class TestIssuer {
  person: IssuerPerson = { sub: 'person-1', claims: { name: 'Ana Pérez', email: 'ana@example.com', roles: ['analysts'] } };
  faults: IssuerFaults = {};
  /** Address that it publishes as the one at which a browser ends its session; null for none. `/logout` ends them. */
  sessionsEndAt: string | null = null;
  /** Queries of the requests that ended a session. */
  readonly ended: Readonly<Record<string, string>>[] = [];
  /** Paths of all requests. */
  readonly requests: string[] = [];
  /** Tokens and codes that it sent, which must appear in no log. */
  readonly secrets: string[] = [];
  url = '';
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #grants = new Map<string, Grant>();
  readonly #people = new Map<string, IssuerPerson>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    this.requests.push(url.pathname);
    const { answers, at } = this.faults;
    if (answers !== undefined && (at === undefined || at === url.pathname)) {
      if (answers !== 'never') send(response, answers.status, answers.body);
      return;
    }
    if (url.pathname === '/.well-known/openid-configuration') json(response, 200, this.#discovery());
    else if (url.pathname === '/jwks') json(response, 200, { keys: [this.#publicKey()] });
    else if (url.pathname === '/authorize') this.#authorize(url.searchParams, response);
    else if (url.pathname === '/logout') this.#endSession(url.searchParams, response);
    else if (url.pathname === '/token') this.#token(new URLSearchParams(await textOf(request)), response);
    else if (url.pathname === '/userinfo') this.#userinfo(request.headers.authorization ?? '', response);
    else send(response, 404, '');
  }

  #discovery(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      userinfo_endpoint: `${this.url}/userinfo`,
      jwks_uri: `${this.url}/jwks`,
      ...(this.sessionsEndAt !== null && { end_session_endpoint: this.sessionsEndAt }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  #publicKey(): object {
    return { ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const isRight =
      query.get('client_id') === CLIENT_ID &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      (query.get('scope') ?? '').split(' ').includes('openid');
    if (isRight) this.#sendBack(query, response);
    else send(response, 400, 'the request is not one of the authorization code flow with PKCE');
  }

  #endSession(query: URLSearchParams, response: ServerResponse): void {
    this.ended.push(Object.fromEntries(query));
    if (query.get('client_id') === CLIENT_ID) response.writeHead(302, { location: query.get('post_logout_redirect_uri') ?? '' }).end();
    else send(response, 400, 'the client is not known');
  }

  #sendBack(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? '';
    const code = this.#secret();
    this.#grants.set(code, {
      person: this.person,
      redirectUri,
      nonce: query.get('nonce'),
      challenge: query.get('code_challenge'),
    });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  #token(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code') ?? '';
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const isClient = form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGranted = grant?.redirectUri === form.get('redirect_uri') && grant?.challenge === challenge;
    if (!isClient) json(response, 401, { error: 'invalid_client' });
    else if (grant && isGranted) this.#sendTokens(grant, response);
    else json(response, 400, { error: 'invalid_grant' });
  }

  #sendTokens(grant: Grant, response: ServerResponse): void {
    const token = this.#secret();
    this.#people.set(token, grant.person);
    json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 60, id_token: this.#idToken(grant) });
  }

  #idToken({ person: { sub, claims }, nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300 };
    const payload = { iss: this.url, aud: CLIENT_ID, sub, nonce, ...times, ...claims, ...this.faults.claims };
    const { privateKey } = this.faults.signsWithOtherKey ? this.#otherKeys : this.#keys;
    const token = signed({ alg: 'RS256', kid: 'one', typ: 'JWT' }, payload, privateKey);
    this.secrets.push(token);
    return token;
  }

  #userinfo(authorization: string, response: ServerResponse): void {
    const person = this.#people.get(authorization.replace(/^Bearer /, ''));
    if (person) json(response, 200, { sub: person.sub, ...person.inUserinfo });
    else send(response, 401, '');
  }

  #secret(): string {
    const secret = randomBytes(24).toString('base64url');
    this.secrets.push(secret);
    return secret;
  }
}

function signed(header: object, payload: object, key: KeyObject): string {
  const [head = '', body = ''] = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return `${head}.${body}.${sign('RSA-SHA256', Buffer.from(`${head}.${body}`), key).toString('base64url')}`;
}

const send = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain' }).end(body);
};

const json = (response: ServerResponse, status: number, body: object): void => send(response, status, JSON.stringify(body));

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
