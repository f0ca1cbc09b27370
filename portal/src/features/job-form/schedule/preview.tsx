import { CalendarCheck, TriangleAlert } from "lucide-react";
import { messageOf } from "@/api/errors";
import type { PreviewView } from "@/api/schema";
import { OccurrenceList } from "@/components/occurrence-list";
import { cn } from "@/lib/cn";

interface PreviewProps {
  preview: PreviewView | undefined;
  error: unknown;
  /** False while the answer to the latest input is pending. */
  settled: boolean;
  zone: string;
  manual: boolean;
}

/** The schedule as a sentence, and what it will do. */
export function Preview({ preview, error, settled, zone, manual }: PreviewProps) {
  if (error) {
    return (
      <p className="flex items-start gap-2 text-sm text-danger">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>{messageOf(error)}</span>
      </p>
    );
  }
  if (!preview) return <p className="text-sm text-muted">Upcoming occurrences appear here as you type.</p>;
  return (
    <div className={cn("transition-opacity", !settled && "opacity-60")} data-settled={settled}>
      <p className="flex items-start gap-2 text-sm font-medium">
        <CalendarCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-scheduled" />
        <span>{preview.words}</span>
      </p>
      <Compared preview={preview} />
      {preview.occurrences.length > 0 ? (
        <div className="mt-3">
          <OccurrenceList occurrences={preview.occurrences} zone={zone} />
        </div>
      ) : manual ? null : (
        <p className="mt-2 text-sm text-muted">No upcoming occurrences.</p>
      )}
    </div>
  );
}

/** What an edit changes about what will happen. */
function Compared({ preview }: { preview: PreviewView }) {
  const { compare } = preview;
  if (!compare || (compare.added.length === 0 && compare.removed.length === 0)) return null;
  return (
    <p className="mt-2 text-xs text-muted">
      Currently: {compare.words}. Of the next occurrences, {compare.added.length} are new and {compare.removed.length}{" "}
      go away.
    </p>
  );
}
