import { useId, type ReactNode } from 'react';
import type { Mistake } from '../mistakes';

type Control = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

type Props = {
  label: string;
  name: string; // of the field in the mutation's input
  hint?: ReactNode;
  mistakes?: readonly Mistake[];
  children: (control: Control) => ReactNode;
};

/** Field is a labelled control, with what the server found wrong with it. */
export function Field({ label, name, hint, mistakes = [], children }: Props) {
  const id = useId();
  const own = mistakes.filter(({ field }) => field === name);
  const described = [hint && `${id}-hint`, own.length > 0 && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': own.length > 0, 'aria-describedby': described })}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {own.length > 0 && (
        <p id={`${id}-error`} className="mistake">
          {own.map(({ message }) => `${label} ${message}`).join('. ')}.
        </p>
      )}
    </div>
  );
}
