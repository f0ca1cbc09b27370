import type { Series } from "./chart";

export function Legend({ series }: { series: Series[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {series.map((one) => (
        <li key={one.key} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-[2px]" style={{ background: one.colour }} />
          {one.label}
        </li>
      ))}
    </ul>
  );
}
