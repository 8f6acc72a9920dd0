// What a client that was built with one schema finds broken in another, as graphql-js tells it, and
// what the changelog says of that.
import { DangerousChangeType, buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';

/** A request that leaves the argument out would mean something else. */
const alsoBreaking = [DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE];

/**
 * breaking compares two schemas.
 *
 * @param {string} before as SDL
 * @param {string} after as SDL
 * @returns {string[]} a sentence for each breaking change, such as "Post.title was removed."
 */
export function breaking(before, after) {
  const [released, now] = [buildSchema(before), buildSchema(after)];
  const dangerous = findDangerousChanges(released, now).filter(({ type }) => alsoBreaking.includes(type));
  return [...findBreakingChanges(released, now), ...dangerous].map(({ description }) => description);
}

/** unannounced returns those of the changes that the changelog does not have under Breaking, of what is not released. */
export function unannounced(changes, changelog) {
  const [unreleased] = sections(changelog, '## ').filter(({ title }) => title === '[Unreleased]');
  const announced = sections(unreleased?.body ?? '', '### ').find(({ title }) => title === 'Breaking')?.body ?? '';
  const words = (text) => text.replaceAll('`', '').split(/\s+/).join(' ');
  return changes.filter((change) => !words(announced).includes(words(change)));
}

/** sections splits a text in Markdown at its headings of one level. */
function sections(text, mark) {
  return `\n${text}`.split(`\n${mark}`).slice(1).map((section) => {
    const [title, ...body] = section.split('\n');
    return { title, body: body.join('\n') };
  });
}
