const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** Milliseconds for people: `340 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return seconds(Math.floor(ms / 1_000));
}

/** Whole seconds, in the two largest units that say something. */
export function seconds(total: number): string {
  const parts: string[] = [];
  let rest = Math.floor(total);
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ") || "0 s";
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  const kib = count / 1_024;
  if (kib < 1_024) return `${kib.toFixed(kib < 10 ? 1 : 0)} KiB`;
  const mib = kib / 1_024;
  return mib < 1_024 ? `${mib.toFixed(1)} MiB` : `${(mib / 1_024).toFixed(1)} GiB`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}
