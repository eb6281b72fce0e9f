import { defineService, type ServiceDeps } from '../../../service.ts';
import { ScreeningProgress } from './progress.ts';
import { purgeOldScreenings } from './retention.ts';
import { createRunner, type Runner } from './runner.ts';
import { createScreenings, type Screenings } from './screenings.ts';
import { readScreeningSettings, screeningSettings } from './settings.ts';
import { createHandover, type Handover } from './webhook.ts';

/** The operations of screening, for GraphQL, REST and jobs. One object per process. */
export interface ScreeningService {
  readonly screenings: Screenings;
  readonly progress: ScreeningProgress;
  readonly runner: Runner;
  readonly handover: Handover;
  /** Deletes screenings that finished longer ago than the setting allows. */
  purge(): Promise<void>;
}

/** Builds the parts of screening. Nothing runs until an operation is called. */
function createScreening(deps: ServiceDeps): ScreeningService {
  const common = { ...deps, settings: readScreeningSettings(deps), sealer: deps.sealerFor('webhooks') };
  return {
    screenings: createScreenings(common),
    progress: new ScreeningProgress(deps),
    runner: createRunner(common),
    handover: createHandover(common),
    purge: () => purgeOldScreenings(common),
  };
}

/** Token for `open`. A caller needs module `screening`. */
export const screeningService = defineService<ScreeningService>({
  name: 'screening',
  module: 'screening',
  settings: screeningSettings,
  create: createScreening,
});
