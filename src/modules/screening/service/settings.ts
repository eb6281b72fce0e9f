import { DURATION, durationMs } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { SettingSpec } from '../../../sources/source.ts';
import { readWebhookSettings } from '../../../webhooks/service/settings.ts';

/** Settings of screenings. */
export const screeningSettings = {
  QUIPU_SCREENINGS_KEPT: {
    description: 'Time for which a finished screening and its results are kept.',
    fallback: '30d',
    pattern: DURATION,
    expected: 'expected a duration such as 12h or 30d, from 1h to 3650d',
    range: ['1h', '3650d'],
  },
  QUIPU_SCREENING_ROWS: {
    description:
      'Maximum number of portfolio rows that one account may store in all its screenings; a screening that exceeds it is refused.',
    fallback: '500000',
    pattern: /^[1-9]\d{0,8}$/,
    expected: 'expected a whole number, 1 or more',
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** Parsed settings. */
export interface ScreeningSettings {
  readonly keptMs: number;
  readonly rowsPerAccount: number;
  /** True if webhooks may go to public hosts over plain http. */
  readonly plainHttp: boolean;
}

export const readScreeningSettings = ({ setting }: Pick<ServiceDeps, 'setting'>): ScreeningSettings => ({
  keptMs: durationMs(setting('QUIPU_SCREENINGS_KEPT')),
  rowsPerAccount: Number(setting('QUIPU_SCREENING_ROWS')),
  plainHttp: readWebhookSettings({ setting }).plainHttp,
});
