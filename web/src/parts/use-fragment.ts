import { useEffect, useSyncExternalStore } from 'react';
import { cameBack } from '../place';

const subscribe = (changed: () => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

/** useFragment is what the address names, and leads there as soon as it is there. */
export function useFragment(there: boolean): string {
  const fragment = useSyncExternalStore(subscribe, () => decodeURIComponent(location.hash.slice(1)));
  useEffect(() => {
    if (there && fragment && !cameBack()) document.getElementById(fragment)?.scrollIntoView();
  }, [there, fragment]);
  return fragment;
}
