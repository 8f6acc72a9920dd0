import { notify, useNotice } from '../notice';

export function Notice() {
  const message = useNotice();
  return (
    <div className="notice" role="alert">
      {message && (
        <div className="notice-box">
          <p>{message}</p>
          <button type="button" className="quiet" onClick={() => notify('')}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
