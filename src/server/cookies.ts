import type { IncomingHttpHeaders } from 'node:http';

/** Returns the value of a cookie; null without one. Of several with one name the first counts, which browsers send for the longest path. */
export function cookieOf({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>, name: string): string | null {
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

interface CookieOptions {
  /** True for a service that people reach by https. */
  readonly secure: boolean;
  readonly path: string;
  /** Seconds; without it the cookie ends with the browser, and 0 removes it. */
  readonly maxAge?: number;
}

/** Returns the header `Set-Cookie` of a cookie that scripts cannot read, and that browsers send to no request which another site starts in the background. */
export const setCookie = (name: string, value: string, { secure, path, maxAge }: CookieOptions): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ].join('; ');

/** Returns the name of the cookie of a session. With the prefix, browsers accept it from this host only, over https, for all paths. */
export const sessionCookie = (origin: string): string => (isSecure(origin) ? '__Host-quipu-session' : 'quipu-session');

/** Returns the name of the cookie of a sign-in that has begun. With the prefix, no neighbouring host can set it and begin a sign-in for a person. */
export const attemptCookie = (origin: string): string => (isSecure(origin) ? '__Host-quipu-sign-in' : 'quipu-sign-in');

export const isSecure = (origin: string): boolean => origin.startsWith('https:');
