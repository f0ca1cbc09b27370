import { ChevronFirst, ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { Button } from "./button";

interface PagerProps {
  nextCursor: string | null | undefined;
  /** What is on this page: "50 jobs". */
  children?: ReactNode;
}

/** Pages by cursor. `cursor` in the address is the page; the history goes back. */
export function Pager({ nextCursor, children }: PagerProps) {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const later = params.has("cursor");
  const go = (cursor: string | null) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (cursor === null) next.delete("cursor");
      else next.set("cursor", cursor);
      return next;
    });
  if (!later && !nextCursor) return <p className="pt-3 text-xs text-muted">{children}</p>;
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-2 pt-3 text-xs text-muted">
      <span>{children}</span>
      <span className="flex gap-1">
        <Button size="sm" variant="ghost" disabled={!later} onClick={() => go(null)}>
          <ChevronFirst /> First
        </Button>
        <Button size="sm" variant="ghost" disabled={!later} onClick={() => navigate(-1)}>
          <ChevronLeft /> Back
        </Button>
        <Button size="sm" variant="ghost" disabled={!nextCursor} onClick={() => go(nextCursor ?? null)}>
          Next <ChevronRight />
        </Button>
      </span>
    </nav>
  );
}
