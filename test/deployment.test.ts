import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const image = read('Dockerfile');
const stages = image.split(/^FROM /m).slice(1);
const shipped = stages.at(-1) ?? '';
const gateway = read('docker-compose.yml').split(/^ {2}postgres:/m)[0] ?? '';

describe('SC-04 the image', () => {
  it('SC-04 is built in stages, and ships what was built and the packages that it needs, nothing else', () => {
    expect(stages).toHaveLength(2);
    expect([...shipped.matchAll(/^(COPY|ADD) (.*)$/gm)].map(([line]) => line)).toEqual([
      'COPY --from=build /build/package.json ./',
      'COPY --from=build /build/node_modules node_modules',
      'COPY --from=build /build/dist dist',
    ]);
    expect(image).toMatch(/npm ci .*[\s\S]*npm prune --omit=dev/);
    expect(read('.dockerignore').split('\n')).toContain('*');
  });

  it('SC-04 runs as an ordinary user by its number, and says how it is', () => {
    expect(shipped).toMatch(/^USER (?!0)\d+:(?!0)\d+$/m);
    expect(shipped).toMatch(/^HEALTHCHECK /m);
    expect(shipped).toMatch(/^CMD \["node", /m);
  });

  it('SC-04 runs on a read-only file system without privileges, with no secret of its own', () => {
    expect(gateway).toMatch(/read_only: true/);
    expect(gateway).toMatch(/cap_drop:\n\s+- ALL/);
    expect(gateway).toMatch(/no-new-privileges:true/);
    expect(image + gateway).not.toMatch(/(PASSWORD|SECRET|KEY)\s*[:=]\s*['"]?(?!\$\{)[\w-]+/);
  });
});
