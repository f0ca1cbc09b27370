import { useState } from "react";
import { call } from "@/api/client";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { KeyValues } from "@/components/ui/key-values";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { Time } from "@/components/ui/time";
import { ZoneSelect } from "@/components/ui/zone-select";
import { confirm } from "@/lib/confirm";
import { setTheme, type Theme, useTheme } from "@/lib/theme";
import { chosenZone, setUserZone, systemZone } from "@/lib/times";
import { toast, toastError } from "@/lib/toasts";
import { useSession } from "@/session/session";
import { drop } from "@/session/tokens";
import { ConnectProvider } from "./connect-provider";
import { PasswordForm } from "./password-form";
import { SecondFactorPanel } from "./second-factor-panel";

const THEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "system", label: "System" },
];

export function AccountSection() {
  const session = useSession();
  if (session.state !== "in") return null;
  const { me, places } = session;
  return (
    <div className="max-w-2xl space-y-4">
      <PageHeader title="My account" description="Your profile and preferences." />
      <Panel title={me.user?.username ?? me.actor}>
        <KeyValues
          items={[
            ["Last sign-in", me.user ? <Time key="seen" at={me.user.last_login_at} /> : null],
            ["Password set", me.user?.has_password ? <Time key="set" at={me.user.password_changed_at} /> : null],
            ["Admin", me.is_admin ? "of the whole installation" : null],
            ["Projects", places.map(({ name, role }) => `${name} (${role})`).join(", ")],
          ]}
        />
      </Panel>
      <Display />
      {me.user?.has_password ? <PasswordForm username={me.user.username} /> : null}
      {me.user?.has_password ? <SecondFactorPanel /> : null}
      {me.user ? <ConnectProvider user={me.user} /> : null}
      <Sessions />
    </div>
  );
}

/** Kept in this browser. */
function Display() {
  const theme = useTheme();
  const [zone, setZone] = useState(chosenZone() ?? "");
  return (
    <Panel title="Display">
      <div className="space-y-4">
        <div className="space-y-1">
          <p className="text-sm font-medium">Theme</p>
          <Segments label="Theme" choices={THEMES} value={theme} onValue={(next) => setTheme(next as Theme)} />
        </div>
        <Field
          label="Time zone"
          hint="Used for times in the portal. Jobs keep their own time zone, shown next to yours."
        >
          <ZoneSelect
            className="block w-72 max-w-full"
            none={`System (${systemZone()})`}
            value={zone}
            onValue={(next) => {
              setZone(next);
              setUserZone(next || null);
              toast(`Times are shown in ${next || systemZone()}`);
            }}
          />
        </Field>
      </div>
    </Panel>
  );
}

function Sessions() {
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    const sure = await confirm({
      title: "Sign out everywhere?",
      text: "Ends all your sessions within seconds, including this one. API keys keep working.",
      action: "Sign out everywhere",
    });
    if (!sure) return;
    setBusy(true);
    try {
      await call("DELETE /auth/sessions", {});
      drop();
    } catch (error) {
      setBusy(false);
      toastError("Could not sign out everywhere", error);
    }
  };
  return (
    <Panel title="Sessions">
      <p className="mb-3 text-sm text-muted">
        Left a browser signed in somewhere? End all your sessions and sign in again here.
      </p>
      <Button busy={busy} onClick={() => void leave()}>
        Sign out everywhere
      </Button>
    </Panel>
  );
}
