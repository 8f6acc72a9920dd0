// One short message about what just happened elsewhere on the page.
import { useSyncExternalStore } from 'react';

let message = '';
const listeners = new Set<() => void>();

export function notify(text: string) {
  message = text;
  for (const listener of listeners) listener();
}

export function useNotice(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => message);
}
