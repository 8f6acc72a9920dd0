import { useEffect, useRef, useState } from 'react';
import { returned } from '../place';
import { describe } from '../problems';

type Props = {
  more: boolean;
  what: string; // "posts"
  load: () => Promise<unknown>;
};

/** Endless loads the next page of a list as its end comes near, or when its button is pressed. */
export function Endless({ more, what, load }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [loading, setLoading] = useState(false);
  const [loads, setLoads] = useState(0);
  const [error, setError] = useState<unknown>(null);

  async function next() {
    setLoading(true);
    setError(null);
    await load().catch(setError);
    setLoading(false);
    setLoads((before) => before + 1);
  }

  const latest = useRef(next);
  latest.current = next;
  const idle = more && !loading && !error;
  useEffect(() => {
    if (!idle || !button.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && void latest.current(), // a busy page gets several at once
      { rootMargin: '800px 0px' },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [idle, loads]); // after each load anew: one that ends before it was rendered changes nothing else

  useEffect(() => {
    if (!loading && !returned(!more || !!error)) void latest.current();
  }, [loading, loads, more, error]);

  return (
    <div className="endless">
      <p role="status">{error ? describe(error) : loading ? `Loading more ${what}` : ''}</p>
      {more && !loading && (
        <button ref={button} type="button" className="quiet" onClick={next}>
          {error ? 'Try again' : `More ${what}`}
        </button>
      )}
    </div>
  );
}
