import { Suspense, lazy, useState } from 'react';
import type { Props } from './confirm-dialog';

const ConfirmDialog = lazy(() => import('./confirm-dialog'));

/** Confirm asks before something is gone. What it needs is loaded when it first asks: most readers never are. */
export function Confirm(props: Props) {
  const [needed, setNeeded] = useState(props.open);
  if (props.open && !needed) setNeeded(true);
  if (!needed) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog {...props} />
    </Suspense>
  );
}
