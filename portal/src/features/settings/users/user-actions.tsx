import { useQueryClient } from "@tanstack/react-query";
import {
  EllipsisVertical,
  KeyRound,
  LogOut,
  Shield,
  ShieldOff,
  Smartphone,
  Trash2,
  UserCheck,
  UserX,
} from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { LeftView, UserPatch, UserView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { ask, type Question } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { leftBehind, REVOKE_KEYS } from "../left";

export function UserActions({ user }: { user: UserView }) {
  const can = useCan();
  const { act, patch } = useActs(user);
  const [resetting, setResetting] = useState(false);
  if (!can("users:write")) return null;
  const name = user.username;
  const path = { id: user.id };
  const trigger = (
    <Button variant="ghost" size="icon-sm" aria-label={`More actions for ${name}`}>
      <EllipsisVertical />
    </Button>
  );
  return (
    <>
      <Menu trigger={trigger}>
        {user.has_password ? (
          <MenuItem onSelect={() => setResetting(true)}>
            <KeyRound aria-hidden /> Set a new password
          </MenuItem>
        ) : null}
        <MenuItem
          onSelect={() =>
            void act(
              () => call("DELETE /users/{id}/sessions", { path }).then(() => undefined),
              `Signed ${name} out everywhere`,
              {
                title: `Sign ${name} out everywhere?`,
                text: "Ends all their sessions within seconds. They can sign in again.",
                action: "Sign out",
              },
            )
          }
        >
          <LogOut aria-hidden /> Sign out everywhere
        </MenuItem>
        {user.second_factor ? <ResetSecondFactor user={user} act={act} /> : null}
        <MenuItem
          onSelect={() =>
            void (user.is_admin
              ? patch({ is_admin: false }, `${name} is no longer an admin`, {
                  title: `Remove admin from ${name}?`,
                  text: "They keep their account and their roles in projects.",
                  action: "Remove admin",
                  also: { ...REVOKE_KEYS, label: "Revoke the API keys they created as an admin" },
                })
              : patch({ is_admin: true }, `${name} is an admin`, {
                  title: `Make ${name} an admin?`,
                  text: "Admins manage users and projects, with access to every project.",
                  action: "Make admin",
                }))
          }
        >
          {user.is_admin ? <ShieldOff aria-hidden /> : <Shield aria-hidden />}
          {user.is_admin ? "Remove admin" : "Make admin"}
        </MenuItem>
        <MenuItem
          onSelect={() =>
            void (user.is_active
              ? patch({ is_active: false }, `Disabled ${name}`, {
                  title: `Disable ${name}?`,
                  text: "Signs them out until they are enabled again, and withdraws their open invitations.",
                  action: "Disable",
                  danger: true,
                  also: REVOKE_KEYS,
                })
              : patch({ is_active: true }, `Enabled ${name}`))
          }
        >
          {user.is_active ? <UserX aria-hidden /> : <UserCheck aria-hidden />}
          {user.is_active ? "Disable" : "Enable"}
        </MenuItem>
        <MenuLine />
        <MenuItem
          danger
          onSelect={() =>
            void act((also) => call("DELETE /users/{id}", { path, query: { revoke_keys: also } }), `Deleted ${name}`, {
              title: `Delete ${name}?`,
              text: "Deletes their memberships, sessions and open invitations too. The audit trail keeps their name, which becomes available again.",
              action: "Delete",
              danger: true,
              typed: name,
              also: REVOKE_KEYS,
            })
          }
        >
          <Trash2 aria-hidden /> Delete
        </MenuItem>
      </Menu>
      {resetting ? <ResetPassword user={user} onClose={() => setResetting(false)} /> : null}
    </>
  );
}

type Act = ReturnType<typeof useActs>["act"];

function ResetSecondFactor({ user: { id, username }, act }: { user: UserView; act: Act }) {
  return (
    <MenuItem
      onSelect={() =>
        void act(
          () => call("DELETE /users/{id}/second-factor", { path: { id } }).then(() => undefined),
          `Reset the second factor of ${username}`,
          {
            title: `Reset the second factor of ${username}?`,
            text: "For someone who lost their phone and recovery codes. Make sure it is really them who asks. Signs them out everywhere; their password alone then lets them in.",
            action: "Reset",
            danger: true,
          },
        )
      }
    >
      <Smartphone aria-hidden /> Reset second factor
    </MenuItem>
  );
}

function useActs({ id, username }: UserView) {
  const client = useQueryClient();
  const act = async (run: (also: boolean) => Promise<LeftView | undefined>, done: string, question?: Question) => {
    const { yes, also } = question ? await ask(question) : { yes: true, also: false };
    if (!yes) return;
    try {
      const left = await run(also);
      toast(left ? done + leftBehind(left) : done);
    } catch (error) {
      toastError(`Could not change ${username}`, error);
    }
    void client.invalidateQueries({ queryKey: ["users"] });
  };
  const patch = (body: UserPatch, done: string, question?: Question) =>
    act((also) => call("PATCH /users/{id}", { path: { id }, body, query: { revoke_keys: also } }), done, question);
  return { act, patch };
}

function ResetPassword({ user, onClose }: { user: UserView; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={`New password for ${user.username}`}
      description="Ends their sessions. Share the password with them and have them change it."
      action="Set it"
      onClose={onClose}
      onSubmit={async (text) => {
        await call("PATCH /users/{id}", { path: { id: user.id }, body: { password: text("password") } });
        void client.invalidateQueries({ queryKey: ["users"] });
        toast(`Set a new password for ${user.username}`);
        onClose();
      }}
    >
      {(error) => (
        <Field label="New password" hint="At least 12 characters." error={fieldError(error, "password")}>
          <Input name="password" type="password" required minLength={12} autoComplete="new-password" />
        </Field>
      )}
    </FormDialog>
  );
}
