import { type Config, settingSpecs } from '../config.ts';
import { type Finding, off, ok, warning } from './finding.ts';

/**
 * Returns findings on the credentials of live mode: in live mode the needed ones that are missing; all of them, also in the sandbox, if
 * `every` is true.
 */
export function credentialFindings(
  { sources, givenAddresses, givenSettings }: Pick<Config, 'sources' | 'givenAddresses' | 'givenSettings'>,
  every: boolean,
): readonly Finding[] {
  return [...settingSpecs()].flatMap(([name, { credential }]): Finding[] => {
    if (!credential) return [];
    const { requestedAt, without } = credential;
    const isNeeded = credential.isNeeded && !givenAddresses.has(credential.address);
    const check = `credential ${name}`;
    if (givenSettings.has(name)) return every ? [ok(check, `set; asked for at ${requestedAt}. Without it: ${without}`)] : [];
    const advice = `ask for it at ${requestedAt}, and set ${name}`;
    if (isNeeded && (every || sources === 'live')) return [warning(check, `not set. ${without}`, advice)];
    return every ? [off(check, `not set, and not needed. ${without} It is asked for at ${requestedAt}`)] : [];
  });
}
