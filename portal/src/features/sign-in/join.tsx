import { useState } from "react";
import { call } from "@/api/client";
import { Button } from "@/components/ui/button";
import { Refusal } from "@/components/ui/refusal";
import { basename } from "@/session/project-path";
import { tokenIn } from "./start";

/** Also outside of the router: users without a project have none. */
export function Join() {
  const { hash } = location;
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const join = async () => {
    setBusy(true);
    try {
      const project = await call("POST /invitations/accept", { body: { token: tokenIn(hash) } });
      location.assign(basename(project.slug));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <div className="space-y-4">
      <Refusal error={error} />
      <Button variant="primary" busy={busy} disabled={hash.length < 2} onClick={() => void join()}>
        Accept the invitation
      </Button>
    </div>
  );
}
