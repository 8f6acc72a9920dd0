import { useState } from 'react';

/** CommentText is a comment's text. The beginning of a long one is shown at first. */
export function CommentText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.split('\n').length > 16 || [...text].length > 1200;
  return (
    <>
      <p dir="auto" className={long && !whole ? 'comment-text folded' : 'comment-text'}>
        {text}
      </p>
      {long && (
        <button type="button" className="quiet unfold" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </>
  );
}
