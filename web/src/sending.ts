// Creations whose outcome may stay unknown: the answer can be lost after the server wrote.
import { same } from './drafts';
import { newKey } from './idempotency';

/** Sent is an input on its way, under the key that names it. */
export type Sent<Input> = { key: string; input: Input };

type Outcome<Made, Refusal> = { made?: Made | null | undefined; refusals: readonly Refusal[] };

export type Creation<Input, Made, Refusal> = {
  sent: Sent<Input> | null; // what was sent before, and not answered
  remember: (sent: Sent<Input> | null) => void;
  create: (sent: Sent<Input>) => Promise<Outcome<Made, Refusal>>;
  edit: (made: Made, input: Input) => Promise<Outcome<Made, Refusal>>;
};

/**
 * createOnce makes one thing of an input, however often it has to be tried. A key belongs to an
 * input: what was sent before is sent again as it was, which tells what became of it; where it was
 * made, and the input is another since, what was made is edited.
 */
export async function createOnce<Input, Made, Refusal>(
  input: Input,
  { sent, remember, create, edit }: Creation<Input, Made, Refusal>,
): Promise<Outcome<Made, Refusal>> {
  if (sent) {
    const first = await create(sent);
    const done = first.made && !same(sent.input, input) ? await edit(first.made, input) : first;
    if (!first.made || done.refusals.length === 0) remember(null);
    if (first.made || same(sent.input, input)) return done;
  }
  const fresh = { key: newKey(), input };
  remember(fresh);
  const outcome = await create(fresh);
  remember(null);
  return outcome;
}
