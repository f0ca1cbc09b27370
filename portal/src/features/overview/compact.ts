const FORMAT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** `12K`: for axes. */
export function compact(value: number): string {
  return FORMAT.format(value);
}
