import { describe, expect, it } from 'vitest';
import { command, ROOT } from './command.ts';

const DESCRIPTION = `${ROOT}/schema/openapi.json`;

describe('the OpenAPI description', () => {
  it('has no finding of the recommended rules of @redocly/cli', () => {
    const { stdout } = command('redocly', 'lint', '--config', 'redocly.yaml', '--format', 'json', DESCRIPTION);
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('has no finding of the rules spectral:oas of @stoplight/spectral-cli, hints included', () => {
    const { stdout, stderr } = command('spectral', 'lint', '--ruleset', 'spectral.yaml', '--format', 'json', '--quiet', DESCRIPTION);
    expect({ findings: JSON.parse(stdout), stderr }).toEqual({ findings: [], stderr: '' });
  });
});
