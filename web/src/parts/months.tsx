import { Link, useLocation, useSearchParams } from 'wouter';
import { monthAfter } from '../lists';

const name = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** nameOf is a month as it is said: March 2026. */
export const nameOf = (month: string) => (/^\d{4}-\d\d$/.test(month) ? name.format(new Date(`${month}-01`)) : 'No such month');

const now = () => new Date().toISOString().slice(0, 7);

/** ByMonth leads from a list to its months. */
export function ByMonth() {
  const [path] = useLocation();
  if (useSearchParams()[0].has('month')) return null;
  return <Link href={`${path}?month=${now()}`}>By month</Link>;
}

/** Months leads from a month to its neighbours, and the same of other years. */
export function Months({ of }: { of: string }) {
  const [path] = useLocation();
  const link = (n: number) => {
    const month = monthAfter(of, n);
    return month <= now() && <Link href={`${path}?month=${month}`}>{nameOf(month)}</Link>;
  };
  return (
    <nav className="months" aria-label="Months">
      {link(-12)}
      {link(-1)}
      <Link href={path}>All posts</Link>
      {link(1)}
      {link(12)}
    </nav>
  );
}
