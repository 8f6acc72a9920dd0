import { useEffect, useRef } from 'react';
import type { Draft } from './editor';

type Props = { yours: Draft; theirs: Draft; resolve: (chosen: Draft) => void };

/** Conflict shows both texts after somebody else saved first. Neither is lost until one is chosen and saved. */
export function Conflict({ yours, theirs, resolve }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title" ref={heading} tabIndex={-1}>
        This post was changed while you were editing
      </h2>
      <p>Nothing is lost. Choose the text to go on with; you can still change it before you save.</p>
      <div className="versions">
        <Version name="Yours" draft={yours} other={theirs} action="Go on with yours" choose={() => resolve(yours)} />
        <Version name="Theirs" draft={theirs} other={yours} action="Go on with theirs" choose={() => resolve(theirs)} />
      </div>
    </section>
  );
}

type VersionProps = { name: string; draft: Draft; other: Draft; action: string; choose: () => void };

function Version({ name, draft, other, action, choose }: VersionProps) {
  const others = new Set(paragraphs(other.content));
  return (
    <article className="version" aria-label={name}>
      <h3>{name}</h3>
      <p className="version-title">{draft.title === other.title ? draft.title : <mark>{draft.title}</mark>}</p>
      <div className="version-text" tabIndex={0} role="group" aria-label={`${name}: the text`}>
        {paragraphs(draft.content).map((paragraph, place) => (
          <p key={place}>{others.has(paragraph) ? paragraph : <mark>{paragraph}</mark>}</p>
        ))}
      </div>
      <button type="button" onClick={choose}>
        {action}
      </button>
    </article>
  );
}

const paragraphs = (text: string) => text.split(/\n{2,}/).map((part) => part.trim()).filter(Boolean);
