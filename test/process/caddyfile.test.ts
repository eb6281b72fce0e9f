import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../support/needs.ts';

const FILE = path.resolve(import.meta.dirname, '../../deploy/Caddyfile');
const hasCaddy = spawnSync('caddy', ['version']).status === 0;

it('deploy/Caddyfile is a configuration that Caddy accepts', needs(hasCaddy, 'caddy is not installed'), () => {
  const { status, stdout, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', FILE], { encoding: 'utf8' });
  expect([status, stdout], stderr).toEqual([0, expect.stringContaining('Valid configuration')]);
});
