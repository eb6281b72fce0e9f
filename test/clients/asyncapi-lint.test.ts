import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { expect, it } from 'vitest';
import { command, ROOT } from './command.ts';

const DESCRIPTION = `${ROOT}/schema/asyncapi.json`;

it('the AsyncAPI description has no finding of @asyncapi/parser', async () => {
  const { document, diagnostics } = await new Parser().parse(readFileSync(DESCRIPTION, 'utf8'));
  expect(diagnostics).toEqual([]);
  expect(document?.version()).toBe('3.1.0');
});

it('the AsyncAPI description has no finding of the rules spectral:asyncapi of @stoplight/spectral-cli, hints included', () => {
  const { stdout, stderr } = command('spectral', 'lint', '--ruleset', 'spectral-asyncapi.yaml', '--format', 'json', '--quiet', DESCRIPTION);
  expect({ findings: JSON.parse(stdout), stderr }).toEqual({ findings: [], stderr: '' });
});
