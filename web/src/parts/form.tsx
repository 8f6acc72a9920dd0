import { useEffect, useRef, type ReactNode } from 'react';
import type { Mistake } from '../mistakes';

type Props = {
  className?: string;
  send: () => Promise<unknown>;
  busy: boolean; // it was sent, and not answered
  mistakes: readonly Mistake[];
  action: ReactNode; // what its button says
  children: ReactNode;
  others?: ReactNode; // beside the button
};

/**
 * Form is fields and what sends them. What was refused has the focus. Its button is never disabled: it would lose
 * the focus to nothing.
 */
export function Form({ className, send, busy, mistakes, action, children, others }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (mistakes.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [mistakes]);
  return (
    <form
      ref={form}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send();
      }}
    >
      {children}
      <div role="alert">
        {mistakes
          .filter(({ field }) => !field)
          .map(({ message }) => (
            <p key={message} className="mistake">
              {message}
            </p>
          ))}
      </div>
      <p className="actions">
        <button type="submit" aria-disabled={busy}>
          {action}
        </button>
        {others}
      </p>
    </form>
  );
}
