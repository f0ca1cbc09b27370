import { useState } from "react";
import type { PingView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { Panel } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { fullUrl, linesOf } from "./lines";

/** The URL of a ping, and lines that call it. */
export function CallPanel({ ping }: { ping: PingView }) {
  const [kind, setKind] = useState("crontab");
  if (ping.url === null) {
    return (
      <Panel title="URL">
        <p className="text-sm text-muted">Editors see the URL that the job calls.</p>
      </Panel>
    );
  }
  const url = fullUrl(ping.url, location.origin);
  const lines = linesOf(url, ping.schedule);
  const chosen = lines.find(({ value }) => value === kind) ?? lines[0];
  return (
    <Panel title="URL">
      <div className="flex items-start gap-2 rounded-md border border-line bg-sunken p-2 pl-3">
        <code data-testid="ping-url" className="min-w-0 flex-1 py-1 font-mono text-xs break-all">
          {url}
        </code>
        <CopyButton text={url} label="Copy URL" />
      </div>
      <p className="mt-1 text-xs text-muted">Anyone who knows it can report for this job.</p>
      <div className="mt-4">
        <Segments label="How to call it" choices={lines} value={kind} onValue={setKind} />
      </div>
      {chosen ? (
        <>
          <div className="mt-2 flex items-start gap-2 rounded-md border border-line bg-sunken p-2 pl-3">
            <pre className="min-w-0 flex-1 py-1 font-mono text-xs break-all whitespace-pre-wrap">{chosen.text}</pre>
            <CopyButton text={chosen.text} label={`Copy the lines for ${chosen.label}`} />
          </div>
          <p className="mt-1 text-xs text-muted">{chosen.note}</p>
        </>
      ) : null}
    </Panel>
  );
}
