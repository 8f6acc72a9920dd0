import { describe } from '../problems';

/** Skeleton has the room of what is loading. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className="skeleton">
      <p className="unseen" role="status">
        Loading
      </p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton-row" aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div className="problem" role="alert">
      <p>{describe(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
