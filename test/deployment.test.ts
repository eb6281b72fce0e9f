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

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');

  it('needs no variable that .env.example does not name', () => {
    const needed = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(needed)).toEqual(new Set(['POSTGRES_PASSWORD', 'QUIPU_KEY_SECRET']));
    for (const name of needed) expect(read('.env.example')).toMatch(new RegExp(`^# ${name}=`, 'm'));
  });

  it('publishes the ports of the service and of the sandbox, on loopback of the host', () => {
    const [, port] = /QUIPU_SANDBOX_PORT: '(\d+)'/.exec(gateway) ?? [];
    expect(gateway).toContain('QUIPU_SANDBOX_HOST: 0.0.0.0');
    expect([...gateway.matchAll(/^ {6}- (\S+:\d+:\d+)$/gm)].map(([, one]) => one)).toEqual([
      '127.0.0.1:4000:4000',
      `127.0.0.1:${port}:${port}`,
    ]);
  });

  it.each(['docker-compose.yml', 'docs/operations.md'])('is started by one command in %s, which sets the secrets', (file) => {
    const [command = ''] = /printf .* > \.env && docker compose up --build/.exec(read(file)) ?? [];
    for (const name of ['POSTGRES_PASSWORD', 'QUIPU_KEY_SECRET']) expect(command).toContain(`${name}=%s`);
  });
});
