const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** Seconds as the API takes them and people write them: `1h30m`; 0 is `0`. */
export function shortDuration(total: number): string {
  let rest = Math.round(total);
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count}${unit}` : "";
  });
  return parts.join("") || "0";
}
