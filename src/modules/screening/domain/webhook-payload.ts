import { toPublicId } from '../../../domain/public-ids.ts';
import { isoOrNull } from '../../../domain/time.ts';
import type { Screening } from './screening.ts';

/** The webhook body of `/v1` that is sent at the end of a screening. */
export interface ScreeningDone {
  readonly id: string;
  readonly type: 'screening.done';
  readonly timestamp: string | null;
  readonly data: Pick<Screening, 'name' | 'state' | 'total' | 'done' | 'failed' | 'invalid' | 'duplicates'> & {
    readonly screening_id: string;
  };
}

export const toScreeningDone = ({ id, name, state, total, done, failed, invalid, duplicates, finishedAt }: Screening): ScreeningDone => ({
  id: toPublicId('screening', id),
  type: 'screening.done',
  timestamp: isoOrNull(finishedAt),
  data: { screening_id: toPublicId('screening', id), name, state, total, done, failed, invalid, duplicates },
});
