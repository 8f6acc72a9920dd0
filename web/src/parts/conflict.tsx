import { useEffect, useRef } from 'react';
import type { Text } from '../use-edit';

type Props<Fields extends Text> = {
  what: string; // "post"
  labels: Record<keyof Fields & string, string>; // of the fields, in their order
  yours: Fields;
  theirs: Fields;
  resolve: (chosen: Fields) => void;
};

/** Conflict shows both texts after somebody else saved first. Neither is lost until one is chosen and saved. */
export function Conflict<Fields extends Text>({ what, labels, yours, theirs, resolve }: Props<Fields>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title" ref={heading} tabIndex={-1}>
        This {what} was changed while you were editing
      </h2>
      <p>Nothing is lost. Choose the text to go on with; you can still change it before you save.</p>
      <div className="versions">
        <Version name="Yours" labels={labels} text={yours} other={theirs} action="Go on with yours" choose={() => resolve(yours)} />
        <Version name="Theirs" labels={labels} text={theirs} other={yours} action="Go on with theirs" choose={() => resolve(theirs)} />
      </div>
    </section>
  );
}

type VersionProps = { name: string; labels: Record<string, string>; text: Text; other: Text; action: string; choose: () => void };

function Version({ name, labels, text, other, action, choose }: VersionProps) {
  return (
    <article className="version" aria-label={name}>
      <h3>{name}</h3>
      <div className="version-text" tabIndex={0} role="group" aria-label={`${name}: the text`}>
        {Object.entries(labels).map(([field, label]) => (
          <Paragraphs key={field} label={label} text={text[field] ?? ''} other={other[field] ?? ''} />
        ))}
      </div>
      <button type="button" onClick={choose}>
        {action}
      </button>
    </article>
  );
}

/** Paragraphs are those of one field. What the other version has not is marked. */
function Paragraphs({ label, text, other }: { label: string; text: string; other: string }) {
  const others = new Set(paragraphs(other));
  if (!text && !other) return null;
  return (
    <div className="version-field">
      <p className="version-label">{label}</p>
      {text ? paragraphs(text).map((part, place) => <p key={place}>{others.has(part) ? part : <mark>{part}</mark>}</p>) : <p className="hint">Empty</p>}
    </div>
  );
}

const paragraphs = (text: string) => text.split(/\n{2,}/).map((part) => part.trim()).filter(Boolean);
