// A post's text: Markdown without pictures, and without HTML of its own.
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character]!);

const markdown = new Marked({
  gfm: true,
  renderer: {
    // The page's own heading is the first; a text's are below it.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 1, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    html: ({ text }) => escaped(text),
    // Pictures are other hosts', which this page asks for nothing.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const purifier = DOMPurify();
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') node.setAttribute('rel', 'nofollow ugc noopener');
  if (node.tagName === 'PRE') node.setAttribute('tabindex', '0'); // it scrolls
});

const allowed = {
  ALLOWED_TAGS: [
    'a', 'blockquote', 'br', 'code', 'del', 'em', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr',
    'li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
  ],
  ALLOWED_ATTR: ['href', 'start', 'title', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/|#)/i,
  RETURN_TRUSTED_TYPE: true,
};

export default function Prose({ text }: { text: string }) {
  const html = useMemo(() => purifier.sanitize(markdown.parse(text, { async: false }), allowed), [text]);
  // The types of React know strings alone; a browser that asks for trusted types takes only these.
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html as unknown as string }} />;
}
