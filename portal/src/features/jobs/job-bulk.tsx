import { useQueryClient } from "@tanstack/react-query";
import { Pause, Play, Power, PowerOff, StepForward, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { BulkBar } from "@/components/ui/bulk-bar";
import { Button } from "@/components/ui/button";
import { confirm } from "@/lib/confirm";
import { inTurn } from "@/lib/in-turn";
import { toast, toastError } from "@/lib/toasts";
import { plural } from "@/lib/words";
import { useCan } from "@/session/use-can";
import { switchJob } from "./job-verbs";

interface JobBulkProps {
  ids: string[];
  onClear: () => void;
}

interface Verb {
  label: string;
  done: string;
  permission: string;
  icon: typeof Play;
  danger?: boolean;
  run: (id: string) => Promise<unknown>;
}

const VERBS: Verb[] = [
  {
    label: "Run now",
    done: "Queued runs of",
    permission: "jobs:run",
    icon: Play,
    run: (id) => call("POST /jobs/{id}/run", { path: { id } }),
  },
  { label: "Pause", done: "Paused", permission: "jobs:pause", icon: Pause, run: (id) => switchJob(id, "pause") },
  {
    label: "Resume",
    done: "Resumed",
    permission: "jobs:pause",
    icon: StepForward,
    run: (id) => switchJob(id, "resume"),
  },
  { label: "Enable", done: "Enabled", permission: "jobs:write", icon: Power, run: (id) => switchJob(id, "enable") },
  {
    label: "Disable",
    done: "Disabled",
    permission: "jobs:write",
    icon: PowerOff,
    run: (id) => switchJob(id, "disable"),
  },
  {
    label: "Delete",
    done: "Deleted",
    permission: "jobs:write",
    icon: Trash2,
    danger: true,
    run: (id) => call("DELETE /jobs/{id}", { path: { id } }),
  },
];

export function JobBulk({ ids, onClear }: JobBulkProps) {
  const [busy, setBusy] = useState<string | null>(null);
  const client = useQueryClient();
  const can = useCan();
  const carryOut = async (verb: Verb) => {
    const jobs = plural(ids.length, "job");
    const question = {
      title: verb.danger ? `${verb.label} ${jobs}?` : `Run ${jobs} now?`,
      text: TEXTS[verb.label] ?? "",
      action: verb.label,
    };
    if (question.text && !(await confirm({ ...question, danger: verb.danger }))) return;
    setBusy(verb.label);
    const { done, failed } = await inTurn(ids, verb.run);
    setBusy(null);
    void client.invalidateQueries({ queryKey: ["jobs"] });
    if (failed.length > 0)
      toastError(`${verb.label}: ${plural(failed.length, "job")} of ${ids.length} refused`, failed[0]);
    if (done > 0) toast(`${verb.done} ${plural(done, "job")}`);
    if (failed.length === 0) onClear();
  };
  return (
    <BulkBar count={ids.length} noun="job" onClear={onClear}>
      {VERBS.filter((verb) => can(verb.permission)).map((verb) => (
        <Button
          key={verb.label}
          size="sm"
          variant={verb.danger ? "danger" : "secondary"}
          busy={busy === verb.label}
          disabled={busy !== null}
          onClick={() => void carryOut(verb)}
        >
          <verb.icon /> {verb.label}
        </Button>
      ))}
    </BulkBar>
  );
}

// Actions that are hard to undo need confirmation.
const TEXTS: Record<string, string> = {
  "Run now": "Queues one run of each job.",
  Delete:
    "Queued runs are cancelled and running ones are asked to stop. The history stays, but the jobs cannot be restored.",
};
