import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import type { SecondStep as Step } from "@/session/second-step";
import { FrontPage } from "./front-page";
import { SecondStep } from "./second-step";
import { SignInForm } from "./sign-in-form";
import { SignUpForm } from "./sign-up-form";
import { readStart, type Start, type Way, wayIn } from "./start";

/** Stands in place of every page until one has signed in; then the page of the address is shown. */
export function SignedOut({ ended, step }: { ended: boolean; step: Step | null }) {
  const [start, setStart] = useState<Start>();
  const [chosen, choose] = useState<Way>();
  useEffect(() => {
    readStart().then(setStart, () => undefined); // without an answer one can still sign in
  }, []);
  if (step) return <SecondStep step={step} />;
  const way = chosen ?? wayIn(location.pathname, start);
  if (way === "sign-in") {
    return (
      <FrontPage title="Sign in" text={ended ? "Your session has ended. Sign in to continue." : undefined}>
        <SignInForm />
        {start?.open_signup ? <Other label="Create an account" onClick={() => choose("sign-up")} /> : null}
      </FrontPage>
    );
  }
  return (
    <FrontPage title={TITLES[way]} text={TEXTS[way]}>
      <SignUpForm way={way} />
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
