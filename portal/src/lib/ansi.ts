/** A part of a line that looks different: from, to, and its classes. */
export type Span = [from: number, to: number, look: string];

// As src/horae/domain/text/ansi.py: CSI, OSC and the other strings, two-letter escapes; then what ends or restarts a line.
export const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*(?![[\]PX^_])[0-~]|\n|\r/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BEGUN = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\n]*|[ -/]+)?$/;
const LONGEST = 64; // characters of a sequence that are waited for

// Of the sixteen colours of a terminal, those tokens that are readable in both themes.
const COLOURS = [
  "text-muted",
  "text-failed-text",
  "text-succeeded-text",
  "text-paused-text",
  "text-running-text",
  "text-queued-text",
  "text-scheduled-text",
  "text-text",
];
const STYLES: Record<number, string> = { 1: "font-bold", 2: "opacity-80", 3: "italic", 4: "underline" };

/** An escape sequence that has only begun at the end of a text: the rest comes with the next piece. */
export function begun(text: string): number {
  const at = text.lastIndexOf("\u001b");
  return at >= 0 && text.length - at <= LONGEST && BEGUN.test(text.slice(at)) ? at : text.length;
}

/** The active colours and styles. Backgrounds are ignored: their contrast is unknown. */
export class Pen {
  private colour = "";
  private readonly styles = new Set<number>();
  look = "";

  /** Obeys a sequence if it is about looks. */
  take(sequence: string): void {
    if (!sequence.endsWith("m")) return;
    const codes = sequence
      .replace(/^[^0-9;:]*/, "")
      .slice(0, -1)
      .split(/[;:]/)
      .map(Number);
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at] ?? 0;
      if (code === 38 || code === 48) at += this.extended(code, codes.slice(at + 1));
      else this.one(code);
    }
    this.look = [this.colour, ...[...this.styles].map((style) => STYLES[style])].filter(Boolean).join(" ");
  }

  private one(code: number): void {
    if (code === 0) {
      this.colour = "";
      this.styles.clear();
    } else if (code in STYLES) this.styles.add(code);
    else if (code === 22) for (const style of [1, 2]) this.styles.delete(style);
    else if (code === 23 || code === 24) this.styles.delete(code - 20);
    else if (code === 39) this.colour = "";
    else if (code >= 30 && code <= 37) this.colour = COLOURS[code - 30] ?? "";
    else if (code >= 90 && code <= 97) this.colour = COLOURS[code - 90] ?? "";
  }

  /** `38;5;n` and `38;2;r;g;b`: how many codes it takes. */
  private extended(code: number, rest: number[]): number {
    const [kind, a = 0, b = 0, c = 0] = rest;
    const colour = kind === 5 ? indexed(a) : nearest(a, b, c);
    if (code === 38) this.colour = COLOURS[colour] ?? "";
    return kind === 5 ? 2 : 4;
  }
}

function indexed(n: number): number {
  if (n < 16) return n % 8;
  if (n >= 232) return n > 243 ? 7 : 0;
  const level = n - 16;
  return nearest(Math.floor(level / 36) * 51, (Math.floor(level / 6) % 6) * 51, (level % 6) * 51);
}

/** The colour of the eight with the same channels on: red is 1, green 2, blue 4. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 64) return 0;
  const on = (value: number, bit: number) => (value > most * 0.6 ? bit : 0);
  return on(red, 1) + on(green, 2) + on(blue, 4);
}
