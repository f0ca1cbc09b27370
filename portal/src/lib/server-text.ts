export interface Part {
  /** `run` is the id of one, `time` an instant in ISO format. */
  kind: "text" | "run" | "time";
  text: string;
}

const RUN = "(?<!worker )\\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\b";
const INSTANT = "\\b\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\b";
const MARKED = new RegExp(`(${RUN})|(${INSTANT})`, "g");

/**
 * What the server says in prose, with the ids of runs and the instants in it set apart. Behind an instant it may repeat
 * the time of day by the job's clock, which says nothing new where that is the clock of the page.
 */
export function partsOf(text: string, zone?: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  const plain = (until: number) => {
    if (until > end) parts.push({ kind: "text", text: text.slice(end, until) });
  };
  for (const found of text.matchAll(MARKED)) {
    plain(found.index);
    end = found.index + found[0].length;
    if (found[1]) parts.push({ kind: "run", text: found[1] });
    else {
      parts.push({ kind: "time", text: found[0].replace(" ", "T").replace(" UTC", "Z") });
      end += repeated(text.slice(end), zone);
    }
  }
  plain(text.length);
  return parts;
}

function repeated(rest: string, zone: string | undefined): number {
  const found = /^, \d\d:\d\d /.exec(rest)?.[0];
  return zone && found && rest.startsWith(found + zone) ? found.length + zone.length : 0;
}

/** The one command that a suggestion ends with; null where there is none, or more than one to choose from. */
export function commandIn(suggestion: string): string | null {
  const found = /(?:^|: )((?:[A-Z_]+=\S+ )*horae \S.*)$/.exec(suggestion)?.[1];
  return found && suggestion.split("horae ").length === 2 ? found : null;
}
