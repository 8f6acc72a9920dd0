import { Lexer, Tokenizer, type Token, type TokensList } from 'marked';

const deepest = 20; // quotations in lists in quotations, and as many marks within a line
const longest = 400; // in milliseconds
const short = 2_000; // characters, which are read at once however they are nested: where they take long, something else does
const mostCells = 10_000; // of all tables: a row has those of its header, however short it is

class Late extends Error {}

/** Plain is text that stays as it was written. */
export type Plain = { type: 'plain'; raw: string; text: string };

/** Before every token the lexer looks for a blank line or a backslash: there the time is checked. */
class TimedTokenizer extends Tokenizer {
  until = Infinity;
  private cells = 0;

  override space(src: string) {
    this.check();
    return super.space(src);
  }

  override escape(src: string) {
    this.check();
    return super.escape(src);
  }

  override table(src: string) {
    const rows = this.rules.block.table.exec(src)?.[0].trimEnd().split('\n') ?? [];
    const cells = this.cells + rows.length * Math.max(...rows.map((row) => row.split('|').length));
    if (cells > mostCells) return undefined;
    const token = super.table(src);
    if (token) this.cells = cells;
    return token;
  }

  private check() {
    if (performance.now() > this.until) throw new Late();
  }
}

/**
 * BoundedLexer reads Markdown of anybody. Marks are read by recursion, and some in quadratic time, so
 * that 3 KB can exhaust the stack and 64 KB take a minute: what is too deep, or comes too late, is
 * Plain.
 */
export class BoundedLexer extends Lexer {
  private depth = 0;

  constructor(private readonly timed = new TimedTokenizer()) {
    super({ gfm: true, tokenizer: timed });
  }

  override lex(src: string): TokensList {
    if (src.length > short) this.timed.until = performance.now() + longest;
    return super.lex(src);
  }

  override blockTokens(src: string, tokens: Token[] = [], clipped?: boolean): TokensList {
    return this.bounded(src, tokens, () => super.blockTokens(src, tokens, clipped)) as TokensList;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return this.bounded(src, tokens, () => super.inlineTokens(src, tokens));
  }

  /** bounded returns the tokens of src, which read puts into tokens. */
  private bounded(src: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.depth < deepest) {
      this.depth++;
      try {
        return read();
      } catch (error) {
        if (!(error instanceof Late)) throw error;
      } finally {
        this.depth--;
      }
    }
    tokens.splice(0, Infinity, { type: 'plain', raw: src, text: src } satisfies Plain);
    return tokens;
  }
}
