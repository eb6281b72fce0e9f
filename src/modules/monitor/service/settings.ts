import { DURATION, durationMs } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { SettingSpec } from '../../../sources/source.ts';
import type { MassChangeLimits } from '../domain/mass-change.ts';

const duration = (
  description: string,
  fallback: string,
  range: readonly [lowest: string, highest: string],
  sandbox?: string,
): SettingSpec => ({
  description,
  fallback,
  ...(sandbox !== undefined && { sandbox }),
  pattern: DURATION,
  expected: `expected a duration such as 2s, 6h or 30d, from ${range[0]} to ${range[1]}`,
  range,
});

/** Settings of monitoring. */
export const monitorSettings = {
  QUIPU_MONITOR_INTERVAL: duration('Interval between two checks of a watched company; 10s in the sandbox.', '6h', ['1s', '30d'], '10s'),
  QUIPU_MONITOR_GUARD_SHARE: {
    description:
      "Mass-change guard: changes of one field are held when at least this share (0.001 to 1) of a source's watched companies changed in that field.",
    fallback: '0.1',
    pattern: /^(0(\.\d+)?|1(\.0+)?)$/,
    expected: 'expected a share from 0.001 to 1, such as 0.1',
    range: ['0.001', '1'],
  },
  QUIPU_MONITOR_GUARD_MIN: {
    description: 'Mass-change guard: minimum number of changes of one field that can be a mass change.',
    fallback: '10',
    pattern: /^[1-9]\d{0,6}$/,
    expected: 'expected a whole number, 1 or more',
  },
  QUIPU_MONITOR_CHANGES_KEPT: duration('How long the change log is kept. Clients can resume from a cursor for this time.', '7d', [
    '1h',
    '3650d',
  ]),
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** Parsed settings. */
export interface MonitorSettings {
  readonly intervalMs: number;
  readonly massChangeLimits: MassChangeLimits;
  readonly changesKeptMs: number;
}

export const readMonitorSettings = ({ setting }: Pick<ServiceDeps, 'setting'>): MonitorSettings => ({
  intervalMs: durationMs(setting('QUIPU_MONITOR_INTERVAL')),
  massChangeLimits: { share: Number(setting('QUIPU_MONITOR_GUARD_SHARE')), min: Number(setting('QUIPU_MONITOR_GUARD_MIN')) },
  changesKeptMs: durationMs(setting('QUIPU_MONITOR_CHANGES_KEPT')),
});
