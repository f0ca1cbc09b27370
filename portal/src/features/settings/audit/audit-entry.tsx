import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "react-router";
import type { AuditView, SubjectView } from "@/api/schema";
import { Time } from "@/components/ui/time";
import { cn } from "@/lib/cn";
import { plural } from "@/lib/words";
import { AuditChanges } from "./audit-changes";
import { actionWords, versionOf } from "./changes";

interface AuditEntryProps {
  entry: AuditView;
  onFilter: (change: { actor?: string; action?: string; subject?: string }) => void;
}

/** A sentence: who did what to which; unfolded, what differed and where it came from. */
export function AuditEntry({ entry, onFilter }: AuditEntryProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const version = versionOf(entry);
  return (
    <li className="px-3 py-2 text-sm">
      <div className="flex items-baseline gap-2">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={`Changes: ${entry.action} ${entry.subject.name ?? ""}`}
          onClick={() => setOpen(!open)}
          className="self-center rounded p-0.5 text-muted hover:bg-hover"
        >
          <ChevronRight aria-hidden className={cn("size-4 transition-transform", open && "rotate-90")} />
        </button>
        <p className="min-w-0 flex-1 break-words">
          <Filter label={entry.actor} onClick={() => onFilter({ actor: entry.actor })} className="font-medium" />{" "}
          <Filter label={actionWords(entry.action)} onClick={() => onFilter({ action: entry.action })} />{" "}
          <Subject subject={entry.subject} />
          {version ? (
            <Link
              to={`/jobs/${entry.subject.id}?tab=versions&version=${version}`}
              className="ml-1 rounded text-xs text-accent hover:underline"
            >
              version {version}
            </Link>
          ) : null}
          {entry.changes.length > 0 ? (
            <span className="ml-1 text-xs text-muted">({plural(entry.changes.length, "change")})</span>
          ) : null}
        </p>
        <span className="text-xs text-muted">
          <Time at={entry.at} />
        </span>
      </div>
      {open ? (
        <div id={id} className="mt-2 ml-7 space-y-3">
          <AuditChanges changes={entry.changes} />
          <p className="text-xs break-all text-muted">
            <code className="font-mono">{entry.action}</code>
            {entry.address ? ` · from ${entry.address}` : ""}
            {entry.request_id ? ` · request ${entry.request_id}` : ""}
            {entry.project_id ? "" : " · of the installation"}
          </p>
        </div>
      ) : null}
    </li>
  );
}

function Filter({ label, onClick, className }: { label: string; onClick: () => void; className?: string }) {
  return (
    <button
      type="button"
      title="Filter by this"
      onClick={onClick}
      className={cn("rounded text-left hover:text-accent hover:underline", className)}
    >
      {label}
    </button>
  );
}

const PLACES: Record<string, string> = { job: "/jobs/", run: "/runs/" };

function Subject({ subject: { kind, id, name } }: { subject: SubjectView }) {
  const label = name ?? id ?? "";
  const place = PLACES[kind];
  if (!label || kind === "session") return null;
  if (!place || !id) return <span className="font-medium">{label}</span>;
  return (
    <Link to={`${place}${id}`} className="rounded font-medium hover:text-accent hover:underline">
      {label}
    </Link>
  );
}
