/** ReadingTime says how many minutes so many words take. Nothing is known of some old posts. */
export function ReadingTime({ words }: { words?: number | null }) {
  return words ? <span>{Math.max(1, Math.round(words / 230))} min read</span> : null;
}
