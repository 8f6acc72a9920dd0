// What a mutation refused, in a writer's words: no argument's name, and the server's own words only about a field that is shown.
import type { UserErrorCode } from './gql/graphql';
import { describe } from './problems';

/** What a mutation says that a person did wrong. */
export type UserError = { code: UserErrorCode; message: string; field?: readonly string[] | null };

/** A Mistake is told beside a field, as what follows its label, or as a sentence of its own. */
export type Mistake = { message: string; field?: string };

/** A Deed that all may do is refused only without an account. */
type Deed = { thing: string; done: string; on?: string; all?: true };

/** What each mutation does to what. */
const deeds = {
  createUser: { thing: 'account', done: 'made' },
  updateUser: { thing: 'profile', done: 'saved' },
  createPost: { thing: 'post', done: 'published', all: true },
  updatePost: { thing: 'post', done: 'saved' },
  deletePost: { thing: 'post', done: 'deleted' },
  createComment: { thing: 'comment', done: 'sent', on: 'post', all: true },
  updateComment: { thing: 'comment', done: 'saved' },
  deleteComment: { thing: 'comment', done: 'deleted' },
  likePost: { thing: 'post', done: 'liked', all: true },
  unlikePost: { thing: 'post', done: 'unliked', all: true },
  bookmarkPost: { thing: 'post', done: 'bookmarked', all: true },
  unbookmarkPost: { thing: 'post', done: 'taken off your bookmarks', all: true },
  followUser: { thing: 'account', done: 'followed', all: true },
  unfollowUser: { thing: 'account', done: 'unfollowed', all: true },
  createGroup: { thing: 'group', done: 'made', all: true },
  updateGroup: { thing: 'group', done: 'saved' },
  deleteGroup: { thing: 'group', done: 'deleted' },
  joinGroup: { thing: 'group', done: 'joined', all: true },
  leaveGroup: { thing: 'group', done: 'left', all: true },
  suspendUser: { thing: 'account', done: 'suspended' },
  restoreUser: { thing: 'account', done: 'restored' },
  deleteAccount: { thing: 'account', done: 'deleted' },
} satisfies Record<string, Deed>;

/** MutationName is that of a mutation of the app. */
export type MutationName = keyof typeof deeds;

/** A sentence for each code, of each mutation. A code that the schema adds needs one, or nothing is built. */
const sentences: Record<UserErrorCode, (deed: Deed) => string> = {
  INVALID: ({ thing, done }) => `The ${thing} can’t be ${done} like this.`,
  TOO_LONG: ({ thing }) => `The ${thing} is too long.`,
  TAKEN: ({ thing, done }) => `The ${thing} can’t be ${done}: its name or address is another’s, or you have an account already.`,
  NOT_FOUND: ({ thing, on = thing }) => `The ${on} was deleted meanwhile.`,
  FORBIDDEN: ({ thing, done, all }) =>
    all ? 'You have no account yet.' : `This ${thing} can’t be ${done} by you: it is another’s, or you have no account yet.`,
  VERSION_CONFLICT: ({ thing }) => `The ${thing} was changed meanwhile. Load the page anew to see it.`,
  SUSPENDED: () => 'Your account is suspended: you can read, and not write until a moderator restores it.',
};

/** What is said of the group that a post is for. */
const ofGroup: Partial<Record<UserErrorCode, string>> = {
  FORBIDDEN: 'Only members write in a group. Join it first.',
  NOT_FOUND: 'The group was deleted meanwhile.',
};

/** mistakes says what a mutation refused. The server's words are about the fields that are shown. */
export function mistakes(name: MutationName, errors: readonly UserError[] = [], shown: readonly string[] = []): Mistake[] {
  return errors.map(({ code, message, field }) => {
    const own = field?.[0];
    const group = own === 'groupId' && ofGroup[code];
    if (group) return { message: group };
    return own && shown.includes(own) ? { message, field: own } : { message: sentences[code](deeds[name]) };
  });
}

/** refusal is mistakes, and whether they are a conflict with another edit. */
export function refusal(name: MutationName, errors: readonly UserError[] = [], shown: readonly string[] = []) {
  return { mistakes: mistakes(name, errors, shown), conflict: errors.some(({ code }) => code === 'VERSION_CONFLICT') };
}

/** gone tells that what was to be deleted is: by somebody else, or by an attempt whose answer was lost. */
export function gone(errors: readonly UserError[] = []) {
  return errors.some(({ code }) => code === 'NOT_FOUND');
}

/** failure says that no answer came, or none that tells. */
export function failure(error: unknown): Mistake[] {
  return [{ message: describe(error) }];
}
