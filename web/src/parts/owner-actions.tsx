import { useState } from 'react';
import { Link } from 'wouter';
import { lazily } from '../lazily';
import { pathOf } from '../paths';
import { OnceAsked } from './confirm';
import { useWriter } from './viewer';

const DeletePost = lazily(() => import('./delete-post'));

/** OwnerActions is what a post's author does about it, and who moderates it. */
export default function OwnerActions({ id, authorId, mayDelete }: { id: string; authorId: string; mayDelete: boolean }) {
  const writer = useWriter();
  const [asking, setAsking] = useState(false);
  const own = writer?.id === authorId;
  if (!writer || (!own && !mayDelete)) return null;
  return (
    <span className="owner-actions">
      {own && <Link href={pathOf('edit', id)}>Edit</Link>}
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Delete
      </button>
      <OnceAsked open={asking} close={() => setAsking(false)}>
        <DeletePost id={id} open={asking} close={() => setAsking(false)} />
      </OnceAsked>
    </span>
  );
}
