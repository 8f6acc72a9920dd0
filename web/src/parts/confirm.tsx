import { Suspense, useState, type ReactNode } from 'react';

/** OnceAsked shows what asks before something is gone. That is loaded when it first asks: most readers never are. */
export function OnceAsked({ open, children }: { open: boolean; children: ReactNode }) {
  const [needed, setNeeded] = useState(open);
  if (open && !needed) setNeeded(true);
  return needed && <Suspense fallback={null}>{children}</Suspense>;
}
