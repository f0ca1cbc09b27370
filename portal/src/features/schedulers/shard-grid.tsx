import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { OWNERS } from "./owners";
import { type Cell, letter } from "./shards";

/** One square for each shard: whose it is by letter and colour, its number and its epoch. */
export function ShardGrid({ cells }: { cells: Cell[] }) {
  const free = cells.filter((cell) => cell.owner === null).length;
  const label = `${plural(cells.length, "shard")}, ${free === 0 ? "each with an owner" : `${free} without an owner`}`;
  return (
    <div role="img" aria-label={label} className="grid grid-cols-8 gap-1 sm:grid-cols-16">
      {cells.map((cell) => (
        <div
          key={cell.shard}
          title={words(cell)}
          className={cn(
            "rounded px-1 py-0.5 text-center leading-tight",
            cell.owner === null ? "border border-dashed border-control text-muted" : OWNERS[cell.owner % OWNERS.length],
          )}
        >
          <span className="block text-xs font-medium">
            {cell.shard}
            <span className="ml-0.5 font-normal opacity-90">{cell.owner === null ? "–" : letter(cell.owner)}</span>
          </span>
          <span className="block text-[10px]">{cell.epoch === null ? "–" : `e${cell.epoch}`}</span>
        </div>
      ))}
    </div>
  );
}

function words({ shard, owner, epoch }: Cell): string {
  const whose = owner === null ? "no scheduler" : `scheduler ${letter(owner)}`;
  return `Shard ${shard}: ${whose}${epoch === null ? "" : `, epoch ${epoch}`}`;
}
