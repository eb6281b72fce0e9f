import { parse } from 'tldts';

/** True for a rule that names a host, such as `cdn\.shopify\.com`: it is about a product that other sites embed from there. */
export function namesHost(rule: string): boolean {
  const plain = rule.replaceAll('\\.', '.').replace(/\\[wd.]?|\(\?:|[()[\]]/g, '');
  return plain.split(/[^a-z\d._-]/i).some((text) => {
    const name = text.split('.').filter(Boolean).join('.');
    const { isIcann, domain } = parse(name);
    return isIcann === true && domain !== null;
  });
}
