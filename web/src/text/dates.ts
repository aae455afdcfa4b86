// How times and numbers are written for whoever reads: by their browser's locale and time zone.

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const number = new Intl.NumberFormat();

/** An RFC 3339 time or milliseconds since the epoch, as the reader writes it; an unreadable time as it came. */
export function momentText(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : moment.format(date);
}

export function dayText(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : day.format(date);
}

const SIZES = ['kB', 'MB', 'GB', 'TB'] as const;
const size = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** A size as people say it, by thousands. */
export function sizeText(bytes: number): string {
  let [now, at] = [bytes / 1_000, 0];
  while (now >= 1_000 && at < SIZES.length - 1) [now, at] = [now / 1_000, at + 1];
  return `${size.format(now)} ${SIZES[at]}`;
}

export const countText = (count: number): string => number.format(count);
