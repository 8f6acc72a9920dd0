/** Restored says that what was written before is here again. */
export function Restored({ draft: { restored, discard } }: { draft: { restored: boolean; discard: () => void } }) {
  return (
    <div role="status">
      {restored && (
        <p className="restored">
          What you had written is here again.{' '}
          <button type="button" className="inline" onClick={discard}>
            Discard it
          </button>
        </p>
      )}
    </div>
  );
}
