import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SecondFactorView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { EnrolDialog } from "./enrol-dialog";
import { NewCodesDialog, TurnOffDialog } from "./proof-dialogs";
import { useSecondFactor } from "./use-second-factor";

type Open = "enrol" | "codes" | "off" | null;

export function SecondFactorPanel() {
  const client = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const state = useSecondFactor();
  const close = () => {
    setOpen(null);
    void client.invalidateQueries({ queryKey: ["second-factor"] });
  };
  return (
    <Panel title="Second factor">
      {state.data ? <Standing state={state.data} onOpen={setOpen} /> : <Skeleton className="h-16" />}
      {open === "enrol" ? <EnrolDialog replacing={state.data?.enabled === true} onClose={close} /> : null}
      {open === "codes" ? <NewCodesDialog onClose={close} /> : null}
      {open === "off" ? <TurnOffDialog onClose={close} /> : null}
    </Panel>
  );
}

function Standing({ state, onOpen }: { state: SecondFactorView; onOpen: (open: Open) => void }) {
  if (!state.enabled) {
    return (
      <div className="space-y-3">
        <p className="text-sm text-muted">
          Protect your account with an authenticator app: signing in then asks for a code as well as your password. API
          keys are not affected.
        </p>
        <Button onClick={() => onOpen("enrol")}>Turn on</Button>
      </div>
    );
  }
  const left = state.recovery_codes_left;
  return (
    <div className="space-y-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone="succeeded">on</Badge>
        <span className="text-muted">
          turned on <Time at={state.enabled_at} />
        </span>
        <span className={left < 3 ? "text-failed-text" : "text-muted"}>
          · {left === 1 ? "1 recovery code" : `${left} recovery codes`} left
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onOpen("codes")}>New recovery codes</Button>
        <Button onClick={() => onOpen("enrol")}>Replace app</Button>
        {state.required ? null : <Button onClick={() => onOpen("off")}>Turn off</Button>}
      </div>
      {state.required ? <p className="text-xs text-muted">Required by this installation.</p> : null}
    </div>
  );
}
