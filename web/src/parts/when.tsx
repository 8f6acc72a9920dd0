import { useSyncExternalStore } from 'react';

const month = new Intl.DateTimeFormat('en', { month: 'short' }); // of three letters, as the painted page has it
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' });
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const steps: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'minute'],
  [24, 'hour'],
  [7, 'day'],
];

/** sinceThen says in words how long ago a time was, or its date from a week on. */
function sinceThen(time: Date): string {
  let span = (Date.now() - time.getTime()) / 60_000;
  if (span < 1) return 'just now';
  for (const [length, unit] of steps) {
    if (span < length) return ago.format(-Math.floor(span), unit);
    span /= length;
  }
  return `${time.getDate()} ${month.format(time)} ${time.getFullYear()}`;
}

const eachMinute = (passed: () => void) => {
  const timer = setInterval(passed, 60_000);
  return () => clearInterval(timer);
};

/** When is a time, said as of now: again each minute. */
export function When({ time }: { time: string }) {
  useSyncExternalStore(eachMinute, () => Math.floor(Date.now() / 60_000));
  const date = new Date(time);
  return (
    <time dateTime={time} title={exact.format(date)}>
      {sinceThen(date)}
    </time>
  );
}
