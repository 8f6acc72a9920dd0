// What is being written. It is kept in this browser, by account and place, until it was sent or is discarded.
import { useEffect, useRef, useState } from 'react';
import { useViewer } from './parts/viewer';
import { startWriting } from './writing';

const prefix = 'broadsheet.draft.';
const most = 20; // then the oldest goes

type Kept = { at: number; value: unknown };

export type Draft<Value> = {
  value: Value;
  change: (next: (before: Value) => Value) => void;
  restored: boolean; // it was written before, and left
  discard: () => void; // also of what was sent
};

/** useDraft is useState for what a person writes: it begins with what was left here, else with begin. */
export function useDraft<Value>(place: string, begin: Value): Draft<Value> {
  const account = useViewer()?.id ?? '';
  const [{ name, first, found }] = useState(() => {
    const name = `${prefix}${account}.${place}`;
    return { name, first: begin, found: read<Value>(name) };
  });
  const [value, setValue] = useState<Value>(found ?? first);
  const [restored, setRestored] = useState(found !== null);
  const [kept, setKept] = useState(true);
  const latest = useRef(value);
  const dirty = !same(value, first);

  useEffect(() => {
    if (!dirty) return;
    return startWriting();
  }, [dirty]);

  // Where this browser keeps nothing, or no more.
  useEffect(() => {
    if (!dirty || kept) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [dirty, kept]);

  return {
    value,
    restored,
    change(next) {
      latest.current = next(latest.current);
      setValue(latest.current);
      setKept(same(latest.current, first) ? remove(name) : keep(name, latest.current));
    },
    discard() {
      latest.current = first;
      setValue(first);
      setRestored(false);
      setKept(remove(name));
    },
  };
}

/** same compares values of plain fields, made in one order. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function read<Value>(name: string): Value | null {
  return entry(name)?.value as Value ?? null;
}

function entry(name: string): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

function remove(name: string): boolean {
  try {
    localStorage.removeItem(name);
  } catch {
    // a browser that keeps nothing
  }
  return true;
}

/** keep says whether a value could be kept. The oldest of others make room for it. */
function keep(name: string, value: unknown): boolean {
  const text = JSON.stringify({ at: Date.now(), value } satisfies Kept);
  try {
    if (localStorage.getItem(name) === null) dropOldest(name, most - 1);
  } catch {
    return false;
  }
  for (;;) {
    try {
      localStorage.setItem(name, text);
      return true;
    } catch {
      if (!dropOldest(name, others(name).length - 1)) return false;
    }
  }
}

const others = (name: string) => Object.keys(localStorage).filter((key) => key.startsWith(prefix) && key !== name);

/** dropOldest leaves so many beside one, and says whether any had to go. */
function dropOldest(name: string, left: number): boolean {
  const all = others(name).map((key) => ({ key, at: entry(key)?.at ?? 0 }));
  const old = all.sort((one, other) => other.at - one.at).slice(Math.max(left, 0));
  for (const { key } of old) remove(key);
  return old.length > 0;
}
