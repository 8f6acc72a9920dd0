// Why no answer came, in a reader's words.
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
  return byCode[String(error.errors[0]?.extensions?.code)] ?? 'Something went wrong.';
}
