/** Returns the value of the header `Authorization` for a user and a password. */
export const basicAuth = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Returns that value for the `user:password@` of a URL, which is percent-encoded; null for a URL without one. */
export const basicAuthOf = ({ username, password }: URL): string | null =>
  username || password ? basicAuth(decodeURIComponent(username), decodeURIComponent(password)) : null;
