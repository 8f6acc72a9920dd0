import { useId, type ReactNode } from 'react';
import { sentence, type UserError } from '../problems';

type Control = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };

type Props = {
  label: string;
  name: string; // of the field in the mutation's input
  hint?: ReactNode;
  errors?: readonly UserError[] | undefined;
  children: (control: Control) => ReactNode;
};

/** Field is a labelled control, with what the server found wrong with it. */
export function Field({ label, name, hint, errors = [], children }: Props) {
  const id = useId();
  const own = errors.filter(({ field }) => field?.[0] === name);
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
          {own.map((error) => sentence({ ...error, field: null, message: `${label} ${error.message}` })).join('. ')}.
        </p>
      )}
    </div>
  );
}

/** Mistakes are those of a mutation that belong to no field that is shown, or that never arrived. */
export function Mistakes({ errors, fields = [] }: { errors: readonly UserError[]; fields?: readonly string[] }) {
  const others = errors.filter(({ field }) => !field || !fields.includes(field[0] ?? ''));
  return (
    <div role="alert">
      {others.map((error) => (
        <p key={error.message} className="mistake">
          {sentence(error)}
        </p>
      ))}
    </div>
  );
}
