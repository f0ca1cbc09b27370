import { TriangleAlert } from "lucide-react";
import { ApiError, messageOf } from "@/api/errors";
import { Button } from "./button";
import { CopyButton } from "./copy-button";

interface ErrorStateProps {
  error: unknown;
  /** Replaces the message of the error. */
  title?: string;
  advice?: string;
  /** Retries; the label of its button. */
  onRetry?: () => void;
  retry?: string;
  /** Replaces a whole page, and so has the page's heading. */
  page?: boolean;
}

const ADVICE: Record<number, string> = {
  0: "Is `horae serve` or `horae up` still running? This page reconnects automatically.",
  403: "Your role does not allow this. A project owner can change it under Settings → Members.",
  404: "It may have been deleted, or belong to another project.",
  429: "Wait a moment, then try again.",
  503: "The server is up, but its database is not responding. Try again in a moment.",
};

export function ErrorState({ error, title, advice, onRetry, retry = "Try again", page }: ErrorStateProps) {
  const Heading = page ? "h1" : "h2";
  const known = error instanceof ApiError ? error : null;
  const hint = advice ?? (known ? ADVICE[known.status] : undefined);
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 rounded-full bg-failed-soft p-3 text-failed-text">
        <TriangleAlert aria-hidden className="size-6" />
      </span>
      <Heading className="text-base font-semibold">{title ?? known?.title ?? "Something went wrong"}</Heading>
      <p className="mt-1 max-w-lg text-sm break-words text-soft">{messageOf(error)}</p>
      {hint ? <p className="mt-1 max-w-lg text-sm text-muted">{hint}</p> : null}
      {known?.requestId ? (
        <p className="mt-3 flex items-center gap-1 text-xs text-muted">
          Request id <code className="font-mono">{known.requestId}</code>
          <CopyButton text={known.requestId} label="Copy request ID" />
        </p>
      ) : null}
      {onRetry ? (
        <Button className="mt-4" onClick={onRetry}>
          {retry}
        </Button>
      ) : null}
    </div>
  );
}
