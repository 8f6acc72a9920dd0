// Whether something is being written on the page that is shown.
const written = new Set<object>();

/** startWriting says that something is written that was not sent. It returns what ends it. */
export function startWriting(): () => void {
  const one = {};
  written.add(one);
  return () => void written.delete(one);
}

export function isWriting(): boolean {
  return written.size > 0;
}
