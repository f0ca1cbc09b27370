import { begun, Pen, type Span, TOKEN } from "./ansi";

export interface LogPiece {
  attempt: number;
  seq: number;
  at: string;
  stream: string;
  text: string;
}

export interface LogLine {
  attempt: number;
  at: string;
  stream: string;
  text: string;
  /** Where it is coloured. */
  spans?: Span[];
}

interface Stream {
  attempt: number;
  pen: Pen;
  /** An escape sequence that is not complete yet. */
  rest: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with them
const ODD = /[\u001b\u009b\r]/;

/** Lines from pieces, which break anywhere. Incremental: pieces arrive in order. */
export class LogLines {
  readonly lines: LogLine[] = [];
  private readonly streams = new Map<string, Stream>();
  private open: LogLine | null = null;
  private returned = false;

  /** Incremented whenever lines are added, so that components re-render. */
  version = 0;

  add(piece: LogPiece): void {
    const stream = this.stream(piece);
    let text = stream.rest + piece.text;
    const end = begun(text);
    stream.rest = text.slice(end);
    text = text.slice(0, end);
    if (this.open && (this.open.stream !== piece.stream || this.open.attempt !== piece.attempt)) this.close();
    if (ODD.test(text)) this.odd(piece, stream.pen, text);
    else this.plain(piece, stream.pen, text);
    this.version += 1;
  }

  private stream(piece: LogPiece): Stream {
    let known = this.streams.get(piece.stream);
    if (!known || known.attempt !== piece.attempt) {
      known = { attempt: piece.attempt, pen: new Pen(), rest: "" };
      this.streams.set(piece.stream, known);
    }
    return known;
  }

  private plain(piece: LogPiece, pen: Pen, text: string): void {
    const parts = text.split("\n");
    parts.forEach((part, index) => {
      this.write(piece, pen, part);
      if (index < parts.length - 1) this.endLine(piece);
    });
  }

  private odd(piece: LogPiece, pen: Pen, text: string): void {
    let from = 0;
    for (const match of text.matchAll(TOKEN)) {
      this.write(piece, pen, text.slice(from, match.index));
      from = match.index + match[0].length;
      if (match[0] === "\n") this.endLine(piece);
      else if (match[0] === "\r") this.returned = true;
      else pen.take(match[0]);
    }
    this.write(piece, pen, text.slice(from));
  }

  private write(piece: LogPiece, pen: Pen, text: string): void {
    if (text === "") return;
    const line = this.line(piece);
    if (this.returned) {
      // A progress bar that redraws itself: only its last state is kept.
      line.text = "";
      delete line.spans;
      this.returned = false;
    }
    const from = line.text.length;
    line.text += text;
    if (!pen.look) return;
    line.spans ??= [];
    line.spans.push([from, line.text.length, pen.look]);
  }

  private line(piece: LogPiece): LogLine {
    if (!this.open) {
      this.open = { attempt: piece.attempt, at: piece.at, stream: piece.stream, text: "" };
      this.lines.push(this.open);
    }
    return this.open;
  }

  private endLine(piece: LogPiece): void {
    this.line(piece);
    this.close();
  }

  private close(): void {
    this.open = null;
    this.returned = false;
  }
}
