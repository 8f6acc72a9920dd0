import type { ReactNode } from 'react';

/** Page is a page's frame and its name in the browser. */
export function Page({ title, className = '', children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <div className={`page ${className}`}>
      <title>{title === 'Broadsheet' ? title : `${title} · Broadsheet`}</title>
      {children}
    </div>
  );
}
