// The feeds, as three programs for readers see them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFeed } from '@rowanmanning/feed-parser';
import { parseAtomFeed } from 'feedsmith';
import RssParser from 'rss-parser';
import { serve } from './harness.js';
import { asker } from './web/asker.js';

const { url, graphql } = await serve();
const { write, writeAll } = asker(graphql);

/** Each program tells of a feed's entries: their titles, addresses and authors. */
const programs = {
  async 'rss-parser'(text) {
    const { items } = await new RssParser().parseString(text);
    return items.map(({ title, link, author }) => ({ title, link, author }));
  },
  feedsmith(text) {
    return parseAtomFeed(text).entries.map(({ title, links, authors }) => ({ title: title.value ?? title, link: links[0].href, author: authors[0].name }));
  },
  '@rowanmanning/feed-parser'(text) {
    return parseFeed(text).items.map(({ title, url, authors }) => ({ title, link: url, author: authors[0].name }));
  },
};

const title = 'Half & <half>, "quoted" ]]> 😀';

test('every program reads a feed, and its archives to the first post', async (t) => {
  await writeAll(Array.from({ length: 15 }, (_, number) => `Number ${number}`), 'alice');
  const post = await write(title, 'In *full*.');
  for (const [name, read] of Object.entries(programs)) {
    await t.test(name, async () => {
      for (const feed of [`${url}/feed.atom`, `${url}/users/alice/feed.atom`]) {
        const links = new Set();
        for (let next = feed; next; ) {
          const answer = await fetch(next);
          assert.match(answer.headers.get('content-type'), /^application\/atom\+xml/);
          const text = await answer.text();
          const entries = await read(text);
          if (next === feed) assert.deepEqual(entries[0], { title, link: `${url}/posts/${post.id}`, author: 'Alice Alder' });
          for (const { link } of entries) links.add(link);
          next = /<link rel="prev-archive"[^>]* href="([^"]*)"/.exec(text)?.[1].replaceAll('&amp;', '&');
        }
        assert.ok(links.size > 20, `${feed}: ${links.size}`);
      }
    });
  }
});
