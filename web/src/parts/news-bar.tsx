import type { News } from '../live/use-news';

type Props = {
  news: News;
  what: string; // "post"
  at: 'above' | 'below'; // its list
  shown?: () => void;
};

/** NewsBar says how many new ones there are, in room that it has anyway, and shows them when it is pressed. */
export function NewsBar({ news: { count, more, show }, what, at, shown }: Props) {
  return (
    <div className={`news ${at}`} role="status">
      {count > 0 && (
        <button type="button" onClick={() => void show().then(shown)}>
          {count}
          {more && '+'} new {count === 1 ? what : `${what}s`}
        </button>
      )}
    </div>
  );
}
