import type { RunDetailView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { Panel } from "@/components/ui/panel";

export function RunData({ run }: { run: RunDetailView }) {
  const live = run.status === "queued" || run.status === "running";
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Json title="Input" value={run.input} none="None." />
      <Json title="Result" value={run.result} none={live ? "Not finished yet." : "None."} />
    </div>
  );
}

function Json({ title, value, none }: { title: string; value: unknown; none: string }) {
  const text = value === null || value === undefined ? null : JSON.stringify(value, null, 2);
  return (
    <Panel
      title={title}
      actions={text === null ? null : <CopyButton text={text} label={`Copy the ${title.toLowerCase()}`} />}
    >
      {text === null ? (
        <p className="text-sm text-muted">{none}</p>
      ) : (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          className="max-h-[32rem] overflow-auto font-mono text-xs break-words whitespace-pre-wrap"
        >
          {text}
        </pre>
      )}
    </Panel>
  );
}
