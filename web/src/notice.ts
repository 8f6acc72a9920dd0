// One short message about what just happened elsewhere on the page, and one that is heard alone: what it says is seen.
import { useSyncExternalStore } from 'react';

type Message = { text: string; path: string };

function messages() {
  let message: Message = { text: '', path: '' };
  const listeners = new Set<() => void>();
  return {
    put(text: string) {
      // A screen reader says what changes: the same once more is another text.
      message = { text: text && text === message.text ? `${text}\u00a0` : text, path: location.pathname };
      for (const listener of listeners) listener();
    },
    use: () =>
      useSyncExternalStore((listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      }, () => message.text),
    path: () => message.path,
  };
}

const shown = messages();
const heard = messages();

export const notify = shown.put;
export const useNotice = shown.use;
export const useAnnounced = heard.use;

/** announce says that something was done. What stood there of an attempt before is true no more. */
export function announce(text: string) {
  notify('');
  heard.put(text);
}

/** leaveNotice takes away what was said on another page. */
export function leaveNotice() {
  if (shown.path() !== location.pathname) shown.put('');
}
