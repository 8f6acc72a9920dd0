// What is shown before its answer comes, and taken back where the server refuses.
import type { MutationName, UserError } from './mistakes';
import { notify } from './notice';
import { describe } from './problems';

/** toldIfTakenBack says why a mutation's result, which was shown already, is shown no more. */
export async function toldIfTakenBack(name: MutationName, answer: Promise<readonly UserError[] | undefined>) {
  let why;
  try {
    const errors = await answer;
    if (!errors?.length) return notify(''); // nor is an attempt before this one told of any longer
    const { mistakes } = await import('./mistakes'); // most readers never need it
    why = mistakes(name, errors)[0]?.message;
  } catch (error) {
    why = describe(error);
  }
  notify(`That did not work, and was taken back. ${why}`);
}
