import { Suspense, useState, type ReactNode } from 'react';
import { notify } from '../notice';
import { Boundary, faultOf } from './boundary';

/** OnceAsked shows what asks before something is gone. That is loaded when it first asks: most readers never are. */
export function OnceAsked({ open, close, children }: { open: boolean; close: () => void; children: ReactNode }) {
  const [needed, setNeeded] = useState(open);
  if (open && !needed) setNeeded(true);
  if (!needed) return null;

  function caught(error: unknown) {
    setNeeded(false);
    close();
    notify(faultOf(error));
  }

  return (
    <Boundary caught={caught} fallback={() => null}>
      <Suspense fallback={null}>{children}</Suspense>
    </Boundary>
  );
}
