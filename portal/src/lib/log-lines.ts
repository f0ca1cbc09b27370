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
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g;

/** Lines out of pieces, which break anywhere. Keeps what it has and goes on where it was: pieces come in order. */
export class LogLines {
  readonly lines: LogLine[] = [];
  private open = false;

  /** Raised whenever lines were added, so that a component can tell. */
  version = 0;

  add(piece: LogPiece): void {
    const text = piece.text.replace(COLOURS, "");
    const parts = text.split("\n");
    parts.forEach((part, index) => {
      const last = this.lines[this.lines.length - 1];
      const same = last && last.stream === piece.stream && last.attempt === piece.attempt;
      const bare = part.endsWith("\r") ? part.slice(0, -1) : part;
      if (index === 0 && this.open && same) last.text += bare;
      else if (index < parts.length - 1 || part !== "") {
        this.lines.push({ attempt: piece.attempt, at: piece.at, stream: piece.stream, text: bare });
      }
    });
    this.open = !text.endsWith("\n");
    this.version += 1;
  }
}

/** Which lines have a text in them, without regard to case. */
export function found(lines: LogLine[], text: string): number[] {
  if (text === "") return [];
  const sought = text.toLowerCase();
  const hits: number[] = [];
  lines.forEach((line, index) => {
    if (line.text.toLowerCase().includes(sought)) hits.push(index);
  });
  return hits;
}
