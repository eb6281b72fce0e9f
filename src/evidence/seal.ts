import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { PublicKey, Receipt, SealedReceipt } from './receipt.ts';

/** A key that signs receipts. */
export interface SigningKey {
  /** Thumbprint of the public key (RFC 7638). */
  readonly id: string;
  /** Public key, base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Writes a value as canonical JSON (RFC 8785). */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('there is no JSON of this value');
  return text;
}

/** Returns the SHA-256 of the canonical JSON of a value, hexadecimal. */
export const digestOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/**
 * Hashes and signs a receipt. Its members are in the order of canonical JSON, like in the stored text, so that every serialisation of the
 * receipt has the same bytes.
 */
export function seal(receipt: Receipt, key: SigningKey): SealedReceipt {
  const contentHash = digestOf(receipt);
  const signature = sign(null, Buffer.from(contentHash, 'hex'), key.privateKey).toString('base64');
  return JSON.parse(canonical({ receipt, content_hash: contentHash, signature, key_id: key.id }));
}

/** First bytes of the PKCS#8 document of an Ed25519 key. The 32 bytes of the key follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Creates the signing key from 32 secret bytes in base64. */
export function signingKeyOf(seed: string): SigningKey {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(seed, 'base64')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { id: thumbprint(x), publicKey: x, privateKey };
}

/** Returns the id of a public key (RFC 7638). */
const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** Kind of fault of receipts: the content of one was changed, the chain has a gap, or the key is wrong. */
export type Fault = 'changed' | 'chain' | 'key';

export interface Finding {
  readonly fault: Fault;
  /** A sentence that names the receipt. */
  readonly message: string;
}

/**
 * Checks receipts of one account: each content against its hash, each hash against its signature, and the order of the chain. The first
 * receipt may have any position in the chain, because earlier ones may have been purged.
 * @returns the first fault in the order of the chain; null when all are genuine
 */
export function findFault(receipts: readonly SealedReceipt[], keys: readonly PublicKey[]): Finding | null {
  const chain = receipts.toSorted((a, b) => a.receipt.sequence - b.receipt.sequence);
  for (const [i, sealed] of chain.entries()) {
    const before = chain[i - 1];
    const finding = contentFault(sealed) ?? keyFault(sealed, keys) ?? (before ? linkFault(before, sealed) : startFault(sealed));
    if (finding) return finding;
  }
  return null;
}

const nameOf = ({ receipt }: SealedReceipt): string => `Receipt ${receipt.sequence} (${receipt.id})`;

const contentFault = (sealed: SealedReceipt): Finding | null =>
  hasStatedHash(sealed)
    ? null
    : { fault: 'changed', message: `${nameOf(sealed)} was changed: its content does not have the hash that it states.` };

/**
 * Compares the content with its hash. Returns false, too, for a content without canonical JSON, such as half a surrogate pair; no receipt
 * was ever issued with one.
 */
function hasStatedHash({ receipt, content_hash: stated }: SealedReceipt): boolean {
  try {
    return digestOf(receipt) === stated;
  } catch {
    return false;
  }
}

function keyFault(sealed: SealedReceipt, keys: readonly PublicKey[]): Finding | null {
  const key = keys.find(({ kid }) => kid === sealed.key_id);
  if (!key)
    return { fault: 'key', message: `${nameOf(sealed)} is signed with the key ${sealed.key_id}, which the file of keys does not have.` };
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  const signature = Buffer.from(sealed.signature, 'base64');
  const isSignature = signature.toString('base64') === sealed.signature; // the decoder ignores characters that are not base64
  const isGenuine = isSignature && verify(null, Buffer.from(sealed.content_hash, 'hex'), publicKey, signature);
  return isGenuine
    ? null
    : { fault: 'key', message: `${nameOf(sealed)} is not signed by the key ${sealed.key_id}: it is forged, or the key is another one.` };
}

function linkFault(before: SealedReceipt, sealed: SealedReceipt): Finding | null {
  const [last, { account, sequence, previous_hash: previous }] = [before.receipt, sealed.receipt];
  if (account !== last.account) return { fault: 'chain', message: `${nameOf(sealed)} is of another account than the receipt before it.` };
  if (sequence === last.sequence) return { fault: 'chain', message: `${nameOf(sealed)} is in the file twice, or two have its number.` };
  if (sequence !== last.sequence + 1) {
    const [from, to] = [last.sequence + 1, sequence - 1];
    const missing = from === to ? `Receipt ${from} is missing` : `Receipts ${from} to ${to} are missing`;
    return { fault: 'chain', message: `${missing}: ${nameOf(sealed)} follows receipt ${last.sequence}.` };
  }
  if (previous !== before.content_hash)
    return {
      fault: 'chain',
      message: `${nameOf(sealed)} does not follow receipt ${last.sequence} of the file: one of the two was replaced.`,
    };
  return null;
}

const startFault = (sealed: SealedReceipt): Finding | null =>
  (sealed.receipt.sequence === 1) === (sealed.receipt.previous_hash === null)
    ? null
    : { fault: 'chain', message: `${nameOf(sealed)} does not fit the beginning of a chain.` };
