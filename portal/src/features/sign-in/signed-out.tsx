import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import type { SecondStep as Step } from "@/session/challenge";
import { problemIn, takeOutcome } from "@/session/sso";
import { FrontPage } from "./front-page";
import { SecondStep } from "./second-step";
import { SignInForm } from "./sign-in-form";
import { SignUpForm } from "./sign-up-form";
import { SsoButton } from "./sso-button";
import { readStart, type Start, type Way, wayIn } from "./start";

/** Stands in place of every page until one has signed in; then the page of the address is shown. */
export function SignedOut({ ended, step }: { ended: boolean; step: Step | null }) {
  const [start, setStart] = useState<Start>();
  const [chosen, choose] = useState<Way>();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const told = problemIn(takeOutcome());
    if (told) setProblem(told);
    readStart().then(setStart, () => undefined); // without an answer one can still sign in
  }, []);
  if (step) return <SecondStep step={step} />;
  const passwords = start?.password !== false;
  const way = passwords ? (chosen ?? wayIn(location.pathname, start)) : "sign-in";
  const sso = start?.sso ? <SsoButton name={start.sso} only={!passwords} /> : null;
  if (way === "sign-in") {
    return (
      <FrontPage title="Sign in" text={ended ? "Your session has ended. Sign in to continue." : undefined}>
        {problem ? (
          <p role="alert" className="mb-4 rounded-md bg-failed-soft px-3 py-2 text-sm text-failed-text">
            {problem}
          </p>
        ) : null}
        {passwords ? <SignInForm /> : null}
        {sso}
        {start?.open_signup ? <Other label="Create an account" onClick={() => choose("sign-up")} /> : null}
      </FrontPage>
    );
  }
  return (
    <FrontPage title={TITLES[way]} text={TEXTS[way]}>
      <SignUpForm way={way} />
      {way === "first" ? null : sso}
      {start?.first_admin ? null : <Other label="I have an account" onClick={() => choose("sign-in")} />}
    </FrontPage>
  );
}

const TITLES = { first: "Welcome to Horae", join: "Join a project", "sign-up": "Create an account" };
const TEXTS = {
  first: "Create the first admin account, using the one-time token that the server printed at startup.",
  join: "You have been invited. Choose a username and password.",
  "sign-up": "An owner can then add you to a project.",
};

function Other({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button variant="link" className="mt-3 px-0" onClick={onClick}>
      {label}
    </Button>
  );
}
