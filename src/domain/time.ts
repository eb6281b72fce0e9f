/** Durations in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Format of a duration in settings: `30s`, `15m`, `6h`, `7d`. */
export const DURATION = /^\d+(ms|s|m|h|d)$/;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Converts a duration such as `6h` to milliseconds. @param text in the format DURATION */
export function durationMs(text: string): number {
  const [, amount = '0', unit = 'ms'] = /^(\d+)([a-z]+)$/.exec(text) ?? [];
  return Number(amount) * (UNITS[unit] ?? 1);
}

/** UTC offset of Brasília time, in which Brazil's registries date their data, all year. */
export const BRASILIA_OFFSET_MS = -3 * HOUR_MS;
/** UTC offset of Bogotá, which has no daylight saving time. */
export const BOGOTA_OFFSET_MS = -5 * HOUR_MS;

/** Returns the current time in epoch milliseconds. It is injected, so that tests control time. */
export type Clock = () => number;

/** Caches the text of the current unit of time, because answers about many companies format the same second and day. */
function oncePer(unitMs: number, format: (ms: number) => string): (ms: number) => string {
  let last = { unit: Number.NaN, text: '' };
  return (ms) => {
    const unit = Math.floor(ms / unitMs);
    if (unit !== last.unit) last = { unit, text: format(ms) };
    return last.text;
  };
}

/** Formats epoch ms as `2026-11-21T02:30:27+00:00`, with whole seconds and a numeric offset, because older clients cannot parse `Z`. */
export const isoWithOffset = oncePer(SECOND_MS, (ms) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`);

/** Formats epoch ms like `isoWithOffset`; null for null. */
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoWithOffset(ms));

/** Formats epoch ms as a day in UTC: `2026-11-21`. */
export const isoDate = oncePer(DAY_MS, (ms) => new Date(ms).toISOString().slice(0, 10));

const SANTIAGO = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Santiago', dateStyle: 'short' });

/** Formats epoch ms as a day in Santiago: `2026-11-21`. It uses the time zone database, because Chile changes its summer time by decree. */
export const chileanDate = oncePer(MINUTE_MS, (ms) => SANTIAGO.format(ms));

/** Formats epoch ms as a day in Brasília: `2026-11-21`. */
export const brazilianDate = (ms: number): string => isoDate(ms + BRASILIA_OFFSET_MS);

/** Formats epoch ms as a day in Bogotá: `2026-11-21`. */
export const colombianDate = (ms: number): string => isoDate(ms + BOGOTA_OFFSET_MS);

const ZONES = { BR: 'America/Sao_Paulo', CL: 'America/Santiago', CO: 'America/Bogota' } as const;
const OFFSETS = Object.fromEntries(
  Object.entries(ZONES).map(([country, timeZone]) => [country, new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })]),
);

/** Returns the UTC offset of a country's capital at a time (epoch ms), such as `-03:00`. */
const offsetAt = (country: keyof typeof ZONES, ms: number): string =>
  OFFSETS[country]
    ?.formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.slice('GMT'.length) || '+00:00';

/**
 * Converts the local time of a country, `2026-03-01T15:04:05` or a day (its start), to RFC 3339 with the offset at that time:
 * `2026-03-01T15:04:05-03:00`. A time that occurs twice is read as the later one; a time that is skipped gets the offset before or after
 * the gap.
 */
export function withOffset(local: string, country: keyof typeof ZONES): string {
  const time = local.length === 10 ? `${local}T00:00:00` : local;
  const approximate = Date.parse(`${time}${offsetAt(country, Date.parse(`${time}Z`))}`);
  return `${time}${offsetAt(country, approximate)}`;
}

/**
 * A time as registries write it, with or without seconds and an offset. A character of a time may not follow: the second of two times in one
 * text would be read as an offset.
 */
const WRITTEN_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d{0,20})?)? ?(Z|[+-]\d\d(?::?\d\d)?)?(?![\w+:.-])/i;

/** Completes an offset: `-03` and `-0300` → `-03:00`. */
const withMinutes = (offset: string): string => offset.replace(/^(.\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);

/**
 * Converts a time at the beginning of a text to the local time of a country: `2026-03-01T15:00Z` → `2026-03-01T12:00:00`. A time without an
 * offset is local already. Null for another text.
 */
export function localTimeIn(country: keyof typeof ZONES, text: string): string | null {
  const [, date, minute, second = '00', offset] = WRITTEN_TIME.exec(text) ?? [];
  if (minute === undefined) return null;
  const local = `${date}T${minute}:${second}`;
  const at = offset ? Date.parse(local + withMinutes(offset.toUpperCase())) : Number.NaN;
  if (Number.isNaN(at)) return local;
  const ahead = -Date.parse(`1970-01-01T00:00:00${offsetAt(country, at)}`); // ms by which the country is ahead of UTC
  return new Date(at + ahead).toISOString().slice(0, 19);
}

/** A date that a program has written as midnight in UTC. */
const DATE_IN_UTC = /^\d{4}-\d\d-\d\d[T ]00:00(?::00(?:\.0{1,9})?)?(?:Z|\+00:?00)$/i;

/**
 * Returns the day in a country of a time that means a day: `2026-03-02T01:00:00Z` → `2026-03-01`, but `2026-03-02T00:00:00Z` →
 * `2026-03-02`. Null for a text that does not begin with a time.
 */
export const localDayIn = (country: keyof typeof ZONES, text: string): string | null =>
  (DATE_IN_UTC.test(text) ? text : localTimeIn(country, text))?.slice(0, 10) ?? null;

/** Returns the days from one ISO date to another; negative when `to` is earlier. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Returns true for an existing date in the form `YYYY-MM-DD`. Dates of the year 0 are none, because Postgres refuses them. */
export function isIsoDate(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && isoDate(ms) === text;
}

/** Converts `DD/MM/YYYY` (the Brazilian registries) to `YYYY-MM-DD`; null when the text is not a date. */
export function fromDayMonthYear(text: string): string | null {
  const parts = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(text);
  if (!parts) return null;
  const [, day = '', month = '', year = ''] = parts;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isIsoDate(iso) ? iso : null;
}

/** Returns the year of an ISO date; null for null. */
export const yearOf = (iso: string | null): number | null => (iso === null ? null : Number(iso.slice(0, 4)));

/** Formats epoch ms as a month in UTC: `2026-11`. */
export const monthOf = (ms: number): string => isoDate(ms).slice(0, 7);

/** Returns the first day of a month: `2026-11` → `2026-11-01`. */
export const firstDay = (month: string): string => `${month}-01`;

/** Returns true for the name of a zone of the IANA time zone database, in any letter case: `America/Sao_Paulo`, `UTC`. */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[a-z][\w+-]*(?:\/[\w+-]+)*$/i.test(text)) return false; // an offset such as `+03:00` is no name
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== null;
  } catch {
    return false;
  }
}
