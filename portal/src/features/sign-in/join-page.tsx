import { useState } from "react";
import { useLocation } from "react-router";
import { call } from "@/api/client";
import { Button } from "@/components/ui/button";
import { PageHeader } from "@/components/ui/page-header";
import { basename } from "@/session/project-path";
import { FormProblem } from "./form-problem";
import { tokenIn } from "./start";

/** For those who have an account and follow an invitation. */
export default function JoinPage() {
  const { hash } = useLocation();
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
    <div className="max-w-md space-y-4">
      <PageHeader title="Join a project" description="You have been invited to join a project." />
      <FormProblem error={error} />
      <Button variant="primary" busy={busy} disabled={hash.length < 2} onClick={() => void join()}>
        Accept the invitation
      </Button>
    </div>
  );
}
