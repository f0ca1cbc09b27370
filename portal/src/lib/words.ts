import type { JobView } from "@/api/schema";

/** `1 run`, `2 runs`; `plural(3, "dead letter")`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** `timed_out` as people say it: `timed out`. */
export function said(word: string): string {
  return word.replaceAll("_", " ").replaceAll("-", " ");
}

export function titled(word: string): string {
  const text = said(word);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Customer Id` says no more than `customer_id`, nor than `crm.customer_id`. */
export function sameWords(label: string, name: string): boolean {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return bare(label) === bare(name) || bare(label) === bare(name.split(".").at(-1) ?? "");
}

/** What a target does, in a few words: `POST example.org/hook`. */
export function targetWords(target: JobView["target"]): string {
  if (target === null) return ""; // its kind is not known either: a badge says so
  switch (target.kind) {
    case "http":
      return `${target.method ?? "POST"} ${target.url.replace(/^https?:\/\//, "")}`;
    case "script":
      return target.file ?? firstLine(target.source ?? "");
    case "python":
      return target.function;
    case "container":
      return target.image;
    case "artifact":
      return target.uri;
    case "celery":
      return target.task;
    default:
      return (target as { kind: string }).kind; // a newer server's
  }
}

function firstLine(source: string): string {
  const lines = source.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("#!")) ?? "";
}
