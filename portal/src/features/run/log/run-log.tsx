import { Copy, Download } from "lucide-react";
import { useState } from "react";
import { callRaw } from "@/api/client";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { LogViewer } from "@/components/ui/log-viewer";
import { Tooltip } from "@/components/ui/tooltip";
import { copyText } from "@/lib/clipboard";
import { saveAs } from "@/lib/save";
import { toast, toastError } from "@/lib/toasts";
import { plural } from "@/lib/words";
import type { RunLogState } from "./use-run-log";

interface RunLogProps {
  id: string;
  log: RunLogState;
  live: boolean;
  failed: boolean;
  /** Why there is nothing yet. */
  waiting: boolean;
}

export function RunLog({ id, log, live, failed, waiting }: RunLogProps) {
  if (log.state === "failed") return <ErrorState error={log.error} />;
  return (
    <>
      <LogViewer
        key={id}
        lines={log.lines}
        version={log.version}
        live={live}
        fromEnd={failed}
        empty={<Empty log={log} waiting={waiting} />}
        actions={<Actions id={id} log={log} />}
      />
      <p role="status" className="mt-1.5 px-1 text-xs text-muted">
        {words(log)}
      </p>
    </>
  );
}

function words({ state, lines }: RunLogState): string {
  const written = plural(lines.length, "line");
  if (state === "reading") return "Loading log…";
  if (state === "broken") return `${written}. Connection lost. Reconnecting…`;
  return state === "following" ? `${written}, live` : written;
}

function Empty({ log, waiting }: { log: RunLogState; waiting: boolean }) {
  if (log.state === "reading") return "Loading log…";
  if (log.state === "ended") return "No output.";
  return waiting ? "Not started yet. Output appears here." : "No output yet.";
}

function Actions({ id, log }: { id: string; log: RunLogState }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const answer = await callRaw("GET /runs/{id}/log", { path: { id }, query: { format: "text" } });
      saveAs(await answer.blob(), `${id}.log`);
    } catch (error) {
      toastError("Could not download the log", error);
    } finally {
      setBusy(false);
    }
  };
  const copy = async () => {
    if (await copyText(log.lines.map((line) => line.text).join("\n"))) {
      toast(`Copied ${plural(log.lines.length, "line")}`);
    }
  };
  return (
    <>
      <Tooltip content="Copy log">
        <Button variant="ghost" size="icon-sm" aria-label="Copy log" onClick={() => void copy()}>
          <Copy />
        </Button>
      </Tooltip>
      <Tooltip content="Download log">
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label="Download log"
          disabled={busy}
          onClick={() => void download()}
        >
          <Download />
        </Button>
      </Tooltip>
    </>
  );
}
