/** A picture of an animation: a still WebP file, and its duration. */
export interface Frame {
  readonly webp: Buffer;
  readonly ms: number;
}

/**
 * Joins still WebP pictures of one size to an animated one that repeats for ever. The pictures are not encoded again.
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
export function animatedWebp(frames: readonly Frame[], { width, height }: { readonly width: number; readonly height: number }): Buffer {
  const ANIMATED = 0x02;
  const REPLACES_ALL = 0x02; // the picture is not blended with the previous one
  const size = [uint(width - 1, 3), uint(height - 1, 3)];
  const header = chunk('VP8X', Buffer.concat([uint(ANIMATED, 4), ...size]));
  const animation = chunk('ANIM', Buffer.concat([uint(0xffffffff, 4), uint(0, 2)]));
  const shown = frames.map(({ webp, ms }) =>
    chunk('ANMF', Buffer.concat([uint(0, 6), ...size, uint(ms, 3), uint(REPLACES_ALL, 1), bitstreamOf(webp)])),
  );
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), header, animation, ...shown]));
}

/** Returns the chunk of a still picture that contains its pixels. */
function bitstreamOf(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4);
    const padded = end + (end % 2);
    if (/^VP8[ L]$/.test(webp.toString('latin1', at, at + 4))) return webp.subarray(at, padded);
    at = padded;
  }
  throw new Error('this is no still WebP picture');
}

/** Creates a chunk of a RIFF file: its name, its length and its content, padded to an even length. */
function chunk(name: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), uint(content.length, 4), content, Buffer.alloc(content.length % 2)]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}
