import { Link as LinkIcon } from "lucide-react";
import { Link } from "react-router";
import type { VersionView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import { cn } from "@/lib/cn";

interface VersionRowProps {
  version: VersionView;
  current: boolean;
  shown: boolean;
  onShow: () => void;
}

/** Who saved it, when, and which fields it changed. */
export function VersionRow({ version, current, shown, onShow }: VersionRowProps) {
  return (
    <li className={cn("group rounded-md px-2 py-1.5", shown ? "bg-accent-soft" : "hover:bg-hover")}>
      <div className="flex items-center justify-between gap-2 text-sm">
        <button
          type="button"
          aria-pressed={shown}
          onClick={onShow}
          className="min-w-0 rounded text-left font-medium hover:underline"
        >
          Version {version.version}
        </button>
        {current ? <Badge tone="accent">current</Badge> : null}
        <Link
          to={`?tab=versions&version=${version.version}`}
          aria-label={`Link to version ${version.version}`}
          className="ml-auto rounded p-0.5 text-muted opacity-0 group-hover:opacity-100 hover:text-accent focus-visible:opacity-100"
        >
          <LinkIcon aria-hidden className="size-3.5" />
        </Link>
        <span className="text-xs text-soft">
          <Time at={version.created_at} />
        </span>
      </div>
      <p className="text-xs break-words text-soft">
        {version.created_by}
        {version.note ? ` · ${version.note}` : ""}
        {version.changes.length > 0 ? ` · ${changed(version)}` : ""}
      </p>
    </li>
  );
}

function changed({ changes }: VersionView): string {
  const names = changes.map(({ path }) => path);
  return names.length > 4 ? `${names.slice(0, 4).join(", ")} … ${names.length - 4} more` : names.join(", ");
}
