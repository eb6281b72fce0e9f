import type { SettingSpec } from '../source.ts';

/** Name of the setting of the token, which all sources on datos.gov.co use. */
const APP_TOKEN = 'QUIPU_SECOP_APP_TOKEN';

/** Maximum number of concurrent calls of datos.gov.co by all sources together: the portal refuses four. */
export const PORTAL_CONCURRENCY = 2;

const PORTAL_TOKEN: SettingSpec = {
  description: 'Application token of datos.gov.co (SECOP and RUES), which gives the service a rate limit of its own. Empty for none.',
  fallback: '',
  sandbox: '',
  pattern: /^[\x21-\x7e]*$/,
  expected: 'expected a token without blanks',
  credential: {
    requestedAt: 'https://www.datos.gov.co/profile/edit/developer_settings',
    without:
      'The portal limits the rate of all callers without a token together, so that Colombian tenders and registrations fail more often.',
    isNeeded: false,
    address: 'QUIPU_SECOP_URL',
  },
};

/** Settings that the sources on datos.gov.co have in common. */
export const PORTAL_SETTINGS: Readonly<Record<string, SettingSpec>> = { [APP_TOKEN]: PORTAL_TOKEN };

/** The token for lists on datos.gov.co, which answers without one, too. */
export const PORTAL_CREDENTIAL = { header: 'x-app-token', setting: APP_TOKEN, spec: PORTAL_TOKEN, isOptional: true } as const;

/** Returns the headers of a call of datos.gov.co. */
export function portalHeaders(setting: (name: string) => string): Readonly<Record<string, string>> {
  const token = setting(APP_TOKEN);
  return token ? { 'x-app-token': token } : {};
}
