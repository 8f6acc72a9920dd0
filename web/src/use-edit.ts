// Edits of what has versions, and what becomes of two at once.
import { useRef, useState } from 'react';
import { same, useDraft } from './drafts';
import { failure, type Mistake } from './mistakes';

export type Text = Record<string, string>;
export type Version<Fields extends Text> = { version: number; text: Fields };

type Saved = { mistakes: readonly Mistake[]; conflict: boolean };

type Options<Fields extends Text> = {
  place: string; // of the draft
  seen: Version<Fields>;
  save: (changes: Partial<Fields>, expectedVersion: number) => Promise<Saved>;
  read: () => Promise<Version<Fields> | null>; // as it is now; null: deleted
  gone: readonly Mistake[];
  done: (text: Fields) => void;
};

/**
 * useEdit is an edit: it says which version it began from, and sends what was changed alone. Where
 * another version was saved meanwhile, theirs is that, until one of both texts is chosen by resolve.
 */
export function useEdit<Fields extends Text>({ place, seen, save, read, gone, done }: Options<Fields>) {
  // The version that it began from is no newer copy of the cache's: an edit of that was never seen.
  const draft = useDraft(place, { base: seen, text: seen.text });
  const [theirs, setTheirs] = useState<Version<Fields> | null>(null);
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const unanswered = useRef<Fields | null>(null);
  const { base, text } = draft.value;

  async function send() {
    setBusy(true);
    try {
      setMistakes(await attempt(base));
    } catch (error) {
      unanswered.current = text;
      setMistakes(failure(error));
    }
    setBusy(false);
  }

  async function attempt(from: Version<Fields>): Promise<readonly Mistake[]> {
    const { mistakes, conflict } = await save(changes(from.text, text), from.version);
    if (!conflict) {
      if (mistakes.length === 0) finish();
      return mistakes;
    }
    const now = await read();
    if (!now) return gone;
    if (same(now.text, text)) finish();
    // It was this edit, whose answer was lost.
    else if (unanswered.current && same(now.text, unanswered.current)) return attempt(now);
    else setTheirs(now);
    return [];
  }

  function finish() {
    draft.discard();
    done(text);
  }

  /** resolve goes on from their version, with a text that was chosen knowing it. */
  function resolve(chosen: Fields) {
    draft.change(() => ({ base: theirs!, text: chosen }));
    setTheirs(null);
  }

  return {
    text,
    change: (part: Partial<Fields>) => draft.change((before) => ({ ...before, text: { ...before.text, ...part } })),
    restored: draft.restored,
    discard: draft.discard,
    mistakes,
    busy,
    send,
    theirs,
    resolve,
  };
}

/** changes holds what was changed alone: what is left out stays as it is, and is no one's to overwrite. */
function changes<Fields extends Text>(from: Fields, to: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => value !== from[name])) as Partial<Fields>;
}
