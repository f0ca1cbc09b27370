import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { readStart } from "@/features/sign-in/start";
import { toast, toastError } from "@/lib/toasts";
import { connectProvider, problemIn, takeOutcome } from "@/session/sso";

/** For those who have a password: moves their account to the identity provider. */
export function ConnectProvider({ connected }: { connected: boolean }) {
  const [name, setName] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    const told = takeOutcome();
    const problem = problemIn(told);
    if (problem) toastError("Could not connect your account", new Error(problem));
    else if (told === "connected") toast("Your account is connected");
    readStart().then(
      (start) => setName(start.sso),
      () => undefined,
    );
  }, []);
  if (!name) return null;
  return (
    <Panel title="Single sign-on">
      {connected ? (
        <p className="text-sm text-muted">
          You sign in with {name}. Your roles follow your groups there; what was given to you here stays.
        </p>
      ) : (
        <>
          <p className="mb-3 text-sm text-muted">
            Connect your account to {name} and sign in there from now on, instead of with your password. Your roles then
            follow your groups there; what was given to you here stays.
          </p>
          <Button onClick={() => setAsking(true)}>Connect to {name}</Button>
        </>
      )}
      {asking ? <AskPassword name={name} onClose={() => setAsking(false)} /> : null}
    </Panel>
  );
}

function AskPassword({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <FormDialog
      title={`Connect to ${name}`}
      description={`You continue to ${name}, sign in there, and come back. Your password and second factor stop working, and your other sessions end.`}
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
