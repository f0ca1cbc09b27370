import { useState } from "react";
import { fieldError } from "@/api/errors";
import type { PingView } from "@/api/schema";
import { FormDialog } from "@/components/ui/form-dialog";
import { UntilField } from "@/components/ui/until-field";
import { usePingVerbs } from "./ping-verbs";

export function PausePing({ ping, onClose }: { ping: PingView; onClose: () => void }) {
  const { pause } = usePingVerbs();
  const [until, setUntil] = useState("");
  return (
    <FormDialog
      title={`Pause ${ping.name}?`}
      description="No signal is expected and no alert opens. Signals are still recorded."
      action={until ? "Pause until then" : "Pause"}
      onClose={onClose}
      onSubmit={async () => {
        await pause(ping, until);
        onClose();
      }}
    >
      {(error) => (
        <UntilField
          value={until}
          onValue={setUntil}
          optional
          hint="Leave empty to pause until resumed."
          error={fieldError(error, "until")}
        />
      )}
    </FormDialog>
  );
}
