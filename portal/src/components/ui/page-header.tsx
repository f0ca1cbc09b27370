import { type ReactNode, useEffect } from "react";
import { namePage } from "@/lib/page-title";

interface PageHeaderProps {
  title: string;
  /** Next to the title, for example a status. */
  aside?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}

/** The header of every page; also sets the title of the browser tab. */
export function PageHeader({ title, aside, description, actions }: PageHeaderProps) {
  useEffect(() => namePage(title), [title]);
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {aside}
        </div>
        {description ? <div className="mt-0.5 text-sm text-muted">{description}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}
