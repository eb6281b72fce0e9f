import { hash } from 'node:crypto';

/** Bytes of a block of SHA-256. */
const BLOCK = 64;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];
/** Bytes of a text that need no new buffer, and that may be written one by one. */
export const MAX_BYTES = 1_024;

/**
 * Computes HMAC-SHA-256 (RFC 2104), of which the first bits are returned. A month has 250 million contacts: an object of `createHmac` and a
 * buffer for its digest take four times as long as these two hashes.
 */
export class KeyedText {
  private readonly inner = Buffer.alloc(BLOCK + MAX_BYTES, INNER_PAD);
  private readonly outer = Buffer.alloc(BLOCK + 32, OUTER_PAD);
  private readonly first = new DataView(new ArrayBuffer(8));
  /** Views of the beginning of `inner`, by their length: a new one for each contact would have to be collected. */
  private readonly views: Buffer[] = [];
  private at = BLOCK;

  /** @param key of at most 64 bytes */
  constructor(key: Buffer) {
    for (const [i, byte] of key.entries()) {
      this.inner[i] = byte ^ INNER_PAD;
      this.outer[i] = byte ^ OUTER_PAD;
    }
  }

  /** Begins a text that is written as bytes. It has at most `MAX_BYTES`. */
  begin(): void {
    this.at = BLOCK;
  }

  /** Writes a byte of the text. */
  push(byte: number): void {
    this.inner[this.at++] = byte;
  }

  /** Returns the first 64 bits of the hash of the text that was written, as a signed integer. */
  hashed(): string {
    return this.numberOf(this.view(this.at));
  }

  /** Returns the first 64 bits of the hash of a text, as a signed integer. */
  ofText(text: string): string {
    return this.numberOf(this.messageOf(text));
  }

  /** Returns the first 128 bits of the hash of a text, hex. */
  hexOf(text: string): string {
    return Buffer.from(this.digestOf(this.messageOf(text)).slice(0, 16), 'binary').toString('hex');
  }

  private messageOf(text: string): Buffer {
    const isShort = text.length * 3 <= MAX_BYTES; // a UTF-16 unit has three bytes at most
    return isShort ? this.view(BLOCK + this.inner.write(text, BLOCK)) : Buffer.concat([this.inner.subarray(0, BLOCK), Buffer.from(text)]);
  }

  private view(length: number): Buffer {
    this.views[length] ??= this.inner.subarray(0, length);
    return this.views[length];
  }

  private numberOf(message: Buffer): string {
    const digest = this.digestOf(message);
    for (let i = 0; i < this.first.byteLength; i += 1) this.first.setUint8(i, digest.charCodeAt(i));
    return this.first.getBigInt64(0).toString();
  }

  /** Returns the whole hash, one character for each byte. */
  private digestOf(message: Buffer): string {
    this.outer.write(hash('sha256', message, 'binary'), BLOCK, 'binary');
    return hash('sha256', this.outer, 'binary');
  }
}
