// What went wrong, in a reader's words.
import { CombinedGraphQLErrors } from '@apollo/client';

const byCode: Record<string, string> = {
  UNAVAILABLE: 'The server is busy or away. It usually is back in a moment.',
  SHUTTING_DOWN: 'The server is being restarted. It usually is back in a moment.',
  TIMEOUT: 'That took too long.',
  RATE_LIMITED: 'That was a lot at once. Wait a moment.',
  UNAUTHENTICATED: 'Sign in first.',
};

export function describe(error: unknown): string {
  if (!CombinedGraphQLErrors.is(error)) return 'The server can’t be reached.';
  const [first] = error.errors;
  return byCode[String(first?.extensions?.code)] ?? first?.message ?? 'Something went wrong.';
}

/** What a person did wrong in a mutation. */
export type UserError = { code: string; message: string; field?: readonly string[] | null };

/** sentence says a mistake as a whole: "Title must not be empty". */
export function sentence({ field, message }: UserError, labels: Record<string, string> = {}): string {
  const label = field && (labels[field[0] ?? ''] ?? field[0]);
  return label ? `${label} ${message}` : message;
}
