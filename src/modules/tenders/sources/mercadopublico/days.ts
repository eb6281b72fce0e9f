import { DAY_MS, isoDate } from '../../../../domain/time.ts';

/** The ISO day so many days after another; before it for a negative number. */
export const dayAfter = (day: string, count: number): string => isoDate(Date.parse(day) + count * DAY_MS);
