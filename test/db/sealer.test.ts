import { describe, expect, it } from 'vitest';
import { createSealer } from '../../src/db/sealer.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const sealer = createSealer('a secret of sixteen', 'webhooks');

describe('a sealed text', () => {
  it('can be opened again', () => {
    expect(sealer.open(sealer.seal(SECRET))).toBe(SECRET);
  });

  it('does not contain the text, and differs each time', () => {
    const [one, two] = [sealer.seal(SECRET), sealer.seal(SECRET)];
    expect(one.toString('latin1')).not.toContain('whsec_');
    expect(one.equals(two)).toBe(false);
  });

  it('opens under no other secret and for no other purpose', () => {
    const sealed = sealer.seal(SECRET);
    expect(() => createSealer('another secret', 'webhooks').open(sealed)).toThrow();
    expect(() => createSealer('a secret of sixteen', 'mail').open(sealed)).toThrow();
  });

  it('does not open when a bit was changed', () => {
    const sealed = sealer.seal(SECRET);
    for (let at = 0; at < sealed.length; at += 7) {
      const damaged = Buffer.from(sealed);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(() => sealer.open(damaged)).toThrow();
    }
  });
});
