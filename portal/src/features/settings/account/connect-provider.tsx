import { useEffect, useState } from "react";
import { fieldError } from "@/api/errors";
import type { UserView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Panel } from "@/components/ui/panel";
import { CodeField } from "@/features/second-factor/code-field";
import { readStart } from "@/features/sign-in/start";
import { toast, toastError } from "@/lib/toasts";
import { connectProvider, problemIn, takeOutcome } from "@/session/sso";
import { useSecondFactor } from "./use-second-factor";

/** For users with a password: moves their account to the identity provider. */
export function ConnectProvider({ user }: { user: UserView }) {
  const [name, setName] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const secondFactor = useSecondFactor(user.has_password);
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
      {!user.has_password ? (
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
      {asking ? (
        <AskPassword
          name={name}
          code={secondFactor.data?.enabled ?? user.second_factor}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Panel>
  );
}

function AskPassword({ name, code, onClose }: { name: string; code: boolean; onClose: () => void }) {
  return (
    <FormDialog
      title={`Connect to ${name}`}
      description={`You continue to ${name}, sign in there, and come back. Your password and second factor stop working, and your other sessions end.`}
      action="Continue"
      onClose={onClose}
      onSubmit={(text) => connectProvider(text("password"), text("code").trim())}
    >
      {(error) => (
        <>
          <Field label="Your current password">
            <Input name="password" type="password" autoComplete="current-password" autoFocus required />
          </Field>
          {code || fieldError(error, "code") ? <CodeField error={fieldError(error, "code")} autoFocus={!code} /> : null}
        </>
      )}
    </FormDialog>
  );
}
