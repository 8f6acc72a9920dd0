// A post's text: Markdown as elements. No HTML is made of it, so nothing in it can be one; pictures are
// links, for they are other hosts', which this page asks for nothing.
import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, useMemo, type ReactNode } from 'react';
import { Boundary } from './boundary';
import { BoundedLexer, type Plain } from './bounded-lexer';

/** Prose is a text as its readers see it; as it was written, where that fails. */
export default function Prose({ text }: { text: string }) {
  return (
    <div className="prose" dir="auto">
      <Boundary resetOn={text} fallback={() => <AsWritten text={text} />}>
        <Marked text={text} />
      </Boundary>
    </div>
  );
}

function Marked({ text }: { text: string }) {
  return useMemo(() => elements(new BoundedLexer().lex(text)), [text]);
}

const AsWritten = ({ text }: { text: string }) => <span className="as-written">{text}</span>;

const elements = (tokens: Token[] = []): ReactNode[] => tokens.map((token, place) => <Element key={place} token={token as MarkedToken | Plain} />);

function Element({ token }: { token: MarkedToken | Plain }): ReactNode {
  switch (token.type) {
    case 'plain':
      return <AsWritten text={token.text} />;
    case 'paragraph':
      return <p>{elements(token.tokens)}</p>;
    case 'heading': // the page's own heading is the first
      return createElement(`h${Math.min(token.depth + 1, 6)}`, null, elements(token.tokens));
    case 'blockquote':
      return <blockquote>{elements(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token} />;
    case 'code':
      return (
        <pre tabIndex={0 /* it scrolls */}>
          <code>{token.text}</code>
        </pre>
      );
    case 'table':
      return <Table table={token} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{elements(token.tokens)}</strong>;
    case 'em':
      return <em>{elements(token.tokens)}</em>;
    case 'del':
      return <del>{elements(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Outward {...token}>{elements(token.tokens)}</Outward>;
    case 'image':
      return <Outward {...token}>{token.text || token.href}</Outward>;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'text':
      return token.tokens ? elements(token.tokens) : characters(token.text);
    case 'escape':
      return token.text;
    case 'html':
      return token.block ? <p>{token.text}</p> : token.text;
    default: // a space, or a reference's definition
      return null;
  }
}

/** Outward is a link, where its address is one to follow: no javascript:, no data:. */
function Outward({ href, title, children }: { href: string; title?: string | null; children: ReactNode }) {
  if (!/^(?:https?:|mailto:|\/|#)/i.test(href)) return children;
  return (
    <a href={href} title={title ?? undefined} rel="nofollow ugc noopener">
      {children}
    </a>
  );
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const rows = items.map((item, place) => <li key={place}>{elements(item.tokens)}</li>);
  return ordered ? <ol start={start || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  const cells = (Cell: 'th' | 'td', row: Tokens.TableCell[], key = 0) => (
    <tr key={key}>
      {row.map(({ align, tokens }, place) => (
        <Cell key={place} className={align ?? undefined}>
          {elements(tokens)}
        </Cell>
      ))}
    </tr>
  );
  return (
    <table tabIndex={0 /* it scrolls */}>
      <thead>{cells('th', header)}</thead>
      <tbody>{rows.map((row, place) => cells('td', row, place))}</tbody>
    </table>
  );
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', mdash: '—', ndash: '–', hellip: '…' };

/** characters resolves references, as in &amp; and &#8212;. */
function characters(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (reference, decimal, hexadecimal, name) => {
    if (name) return named[name] ?? reference;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
