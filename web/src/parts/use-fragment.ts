import { useEffect, useSyncExternalStore } from 'react';
import { cameBack } from '../place';

const subscribe = (changed: () => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

/** named is what the address names; as it stands there, where that is no encoding. */
function named(): string {
  const fragment = location.hash.slice(1);
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** useFragment is what the address names, and leads there as soon as it is there. */
export function useFragment(there: boolean): string {
  const fragment = useSyncExternalStore(subscribe, named);
  useEffect(() => {
    if (there && fragment && !cameBack()) document.getElementById(fragment)?.scrollIntoView();
  }, [there, fragment]);
  return fragment;
}
