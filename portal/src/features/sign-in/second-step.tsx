import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { ApiError } from "@/api/errors";
import type { EnrolledView, EnrolmentView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Refusal } from "@/components/ui/refusal";
import { AppSetup } from "@/features/second-factor/app-setup";
import { CodeField } from "@/features/second-factor/code-field";
import { RecoveryCodes } from "@/features/second-factor/recovery-codes";
import type { SecondStep as Step } from "@/session/challenge";
import { beginEnrolment, confirmEnrolment, enterWith, signInWithCode, startOver } from "@/session/second-step";
import { FrontPage } from "./front-page";

/** After the password: a code, or setting up what will give one. */
export function SecondStep({ step }: { step: Step }) {
  return step.enrol ? <Enrol challenge={step.challenge} /> : <Code challenge={step.challenge} />;
}

function Code({ challenge }: { challenge: string }) {
  return (
    <FrontPage title="Two-factor sign-in" text="Your password is correct. One more step.">
      <StepForm action="Sign in" onCode={(code) => signInWithCode(challenge, code)}>
        <CodeField />
      </StepForm>
    </FrontPage>
  );
}

function Enrol({ challenge }: { challenge: string }) {
  const [enrolment, setEnrolment] = useState<EnrolmentView>();
  const [enrolled, setEnrolled] = useState<EnrolledView>();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    beginEnrolment(challenge).then(setEnrolment, (reason) => (expired(reason) ? startOver() : setError(reason)));
  }, [challenge]);
  if (enrolled) {
    return (
      <FrontPage
        title="Save your recovery codes"
        text="Each signs you in once if you lose your phone. They are not shown again."
      >
        <RecoveryCodes codes={enrolled.recovery_codes} />
        <Button variant="primary" size="lg" className="mt-6 w-full" onClick={() => void enterWith(enrolled)}>
          Done, I saved them
        </Button>
      </FrontPage>
    );
  }
  return (
    <FrontPage title="Set up a second factor" text="This installation requires one to sign in.">
      <Refusal error={error} />
      {enrolment ? (
        <StepForm
          action="Turn on and sign in"
          onCode={async (code) => setEnrolled(await confirmEnrolment(challenge, code))}
        >
          <AppSetup enrolment={enrolment} />
        </StepForm>
      ) : null}
    </FrontPage>
  );
}

interface StepFormProps {
  action: string;
  onCode: (code: string) => Promise<void>;
  children: ReactNode;
}

function StepForm({ action, onCode, children }: StepFormProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    try {
      await onCode(String(new FormData(form).get("code")).trim());
    } catch (reason) {
      if (expired(reason)) return startOver();
      setError(reason);
      setBusy(false);
      form.reset();
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-4">
      {children}
      <Refusal error={error} />
      <Button type="submit" variant="primary" size="lg" busy={busy} className="w-full">
        {action}
      </Button>
      <Button variant="link" className="px-0" onClick={() => startOver()}>
        Back to sign-in
      </Button>
    </form>
  );
}

function expired(error: unknown): boolean {
  return error instanceof ApiError && error.kind === "challenge-expired";
}
