import { type FormEvent, useEffect, useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { DeviceView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { KeyValues } from "@/components/ui/key-values";
import { Refusal } from "@/components/ui/refusal";
import { Time } from "@/components/ui/time";
import { namePage } from "@/lib/page-title";
import { FrontPage } from "./front-page";

/** Where users approve a program that shows a code, such as `horae login --sso`. */
export default function DevicePage({ username }: { username: string }) {
  const [device, setDevice] = useState<DeviceView>();
  const [decided, setDecided] = useState<boolean>();
  useEffect(() => namePage("Approve a sign-in"), []);
  if (decided !== undefined) {
    return (
      <FrontPage
        title={decided ? "Signed in" : "Denied"}
        text={decided ? "Go back to the device. You can close this page." : "The device was not signed in."}
      >
        <Button asChild>
          <a href="/">Go to Horae</a>
        </Button>
      </FrontPage>
    );
  }
  return device ? (
    <Decide device={device} username={username} onDecided={setDecided} />
  ) : (
    <EnterCode onFound={setDevice} />
  );
}

function EnterCode({ onFound }: { onFound: (device: DeviceView) => void }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const find = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get("code")).trim();
    setBusy(true);
    setError(null);
    try {
      onFound(await call("GET /auth/device/{code}", { path: { code } }));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  const given = new URLSearchParams(location.search).get("code") ?? "";
  return (
    <FrontPage title="Approve a sign-in" text="Enter the code that the device or terminal shows.">
      <form onSubmit={(event) => void find(event)} className="space-y-4">
        <Field label="Code" error={fieldError(error, "user_code")}>
          <Input
            name="code"
            defaultValue={given}
            placeholder="BCDF-GHJK"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={20}
            className="h-10 font-mono text-lg tracking-widest uppercase"
            autoFocus
            required
          />
        </Field>
        <Refusal error={error} />
        <Button type="submit" variant="primary" size="lg" busy={busy} className="w-full">
          Continue
        </Button>
      </form>
    </FrontPage>
  );
}

interface DecideProps {
  device: DeviceView;
  username: string;
  onDecided: (approved: boolean) => void;
}

function Decide({ device, username, onDecided }: DecideProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState<boolean>();
  const decide = async (approve: boolean) => {
    setBusy(approve);
    setError(null);
    try {
      await call("POST /auth/device/{code}", { path: { code: device.user_code }, body: { approve } });
      onDecided(approve);
    } catch (reason) {
      setError(reason);
      setBusy(undefined);
    }
  };
  return (
    <FrontPage title={`Sign in as ${username}?`} text="A program asks to act as you, with everything you may do.">
      <div className="space-y-4">
        <p className="rounded-md border border-line bg-sunken py-3 text-center font-mono text-2xl tracking-widest">
          {device.user_code}
        </p>
        <KeyValues
          items={[
            ["Program", device.client],
            ["From", `${device.address}${device.same_address ? ", the same address as yours" : ""}`],
            ["Started", <Time key="at" at={device.created_at} />],
          ]}
        />
        {device.same_address ? null : (
          <p className="rounded-md bg-paused-soft px-3 py-2 text-sm text-paused-text">
            It does not come from the address of this browser. Make sure that it is yours.
          </p>
        )}
        <p className="text-sm text-muted">
          Approve only if you started this yourself, and your terminal shows the same code. There is no reason for
          anyone to send you a code.
        </p>
        <Refusal error={error} />
        <div className="flex gap-3">
          <Button
            size="lg"
            className="flex-1"
            busy={busy === false}
            disabled={busy !== undefined}
            onClick={() => void decide(false)}
          >
            Deny
          </Button>
          <Button
            variant="primary"
            size="lg"
            className="flex-1"
            busy={busy === true}
            disabled={busy !== undefined}
            onClick={() => void decide(true)}
          >
            Approve
          </Button>
        </div>
      </div>
    </FrontPage>
  );
}
