import { useEffect, useState } from "react";
import { call } from "@/api/client";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import { readStart } from "@/features/sign-in/start";
import { toast, toastError } from "@/lib/toasts";
import { connectProvider, problemIn, takeOutcome } from "@/session/sso";

interface Standing {
  name: string;
  since: string | null;
}

/** For those who have a password: lets them sign in through the identity provider as well. */
export function ConnectProvider() {
  const [standing, setStanding] = useState<Standing>();
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    const told = takeOutcome();
    const problem = problemIn(told);
    if (problem) toastError("Could not connect your account", new Error(problem));
    else if (told === "connected") toast("Connected. You can sign in either way from now on");
    look().then(setStanding, () => undefined);
  }, []);
  if (!standing) return null;
  const { name, since } = standing;
  const disconnect = async () => {
    try {
      await call("DELETE /auth/sso/link", {});
      setStanding({ name, since: null });
      toast(`Disconnected from ${name}`);
    } catch (error) {
      toastError(`Could not disconnect from ${name}`, error);
    }
  };
  return (
    <Panel title="Single sign-on">
      <p className="mb-3 text-sm text-muted">
        {since ? (
          <>
            Connected to {name} <Time at={since} />.
          </>
        ) : (
          `Connect your account to ${name} to sign in with it.`
        )}{" "}
        Your roles follow your groups there; what was given to you here stays.
      </p>
      {since ? (
        <Button onClick={() => void disconnect()}>Disconnect</Button>
      ) : (
        <Button onClick={() => setAsking(true)}>Connect to {name}</Button>
      )}
      {asking ? <AskPassword name={name} onClose={() => setAsking(false)} /> : null}
    </Panel>
  );
}

async function look(): Promise<Standing | undefined> {
  const { sso } = await readStart();
  return sso ? { name: sso, since: (await call("GET /auth/sso/link", {})).since } : undefined;
}

function AskPassword({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <FormDialog
      title={`Connect to ${name}`}
      description={`You continue to ${name}, sign in there, and come back.`}
      action="Continue"
      onClose={onClose}
      onSubmit={(text) => connectProvider(text("password"))}
    >
      {() => (
        <Field label="Your current password">
          <Input name="password" type="password" autoComplete="current-password" autoFocus required />
        </Field>
      )}
    </FormDialog>
  );
}
