import { parse } from 'tldts';

/** Labels are bounded, and a name begins at no other place than its first letter: so the search takes linear time. */
const NAME = /(?<![a-z\d_-])(?:[a-z\d_-]{1,63}\.){1,8}[a-z]{2,63}/gi;

/** True for a rule that names a host, such as `cdn\.shopify\.com`: it is about a product that other sites embed from there. */
export function namesHost(rule: string): boolean {
  const plain = rule.replaceAll('\\.', '.').replace(/\\[wd.]?|\(\?:|[()[\]]/g, '');
  return (plain.match(NAME) ?? []).some((name) => {
    const { isIcann, domain } = parse(name);
    return isIcann === true && domain !== null;
  });
}
