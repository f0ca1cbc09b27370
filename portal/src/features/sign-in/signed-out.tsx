import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { FrontPage } from "./front-page";
import { SignInForm } from "./sign-in-form";
import { SignUpForm } from "./sign-up-form";
import { readStart, type Start, type Way, wayIn } from "./start";

/** Stands in place of every page until one has signed in; then the page of the address is shown. */
export function SignedOut({ ended }: { ended: boolean }) {
  const [start, setStart] = useState<Start>();
  const [chosen, choose] = useState<Way>();
  useEffect(() => {
    readStart().then(setStart, () => undefined); // without an answer one can still sign in
  }, []);
  const way = chosen ?? wayIn(location.pathname, start);
  if (way === "sign-in") {
    return (
      <FrontPage title="Sign in" text={ended ? "Your session is over. Sign in to go on where you were." : undefined}>
        <SignInForm />
        {start?.open_signup ? <Other label="Make an account" onClick={() => choose("sign-up")} /> : null}
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

const TITLES = { first: "Welcome to Horae", join: "Join a project", "sign-up": "Make an account" };
const TEXTS = {
  first:
    "Nobody has signed up yet. The server printed a one-time token when it started: whoever has it becomes the first admin.",
  join: "You have been invited. Choose a name and a password.",
  "sign-up": "Somebody then makes you a member of a project.",
};

function Other({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button variant="link" className="mt-3 px-0" onClick={onClick}>
      {label}
    </Button>
  );
}
