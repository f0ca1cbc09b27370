import { useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, KeyRound, LogOut, Shield, ShieldOff, Trash2, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { fieldError } from "@/api/errors";
import type { LeftView, UserPatch, UserView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { Input } from "@/components/ui/input";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { confirm, type Question } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { leftBehind } from "../left";

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
        <MenuItem onSelect={() => setResetting(true)}>
          <KeyRound aria-hidden /> Set a new password
        </MenuItem>
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
        <MenuItem
          onSelect={() =>
            void (user.is_admin
              ? patch({ is_admin: false }, `${name} is no longer an admin`)
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
                  text: "Signs them out until they are enabled again, and withdraws their open invitations. API keys they made keep working.",
                  action: "Disable",
                  danger: true,
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
            void act(() => call("DELETE /users/{id}", { path }), `Deleted ${name}`, {
              title: `Delete ${name}?`,
              text: "Deletes their memberships, sessions and open invitations too. API keys they made keep working. The audit trail keeps their name, which becomes available again.",
              action: "Delete",
              danger: true,
              typed: name,
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

function useActs({ id, username }: UserView) {
  const client = useQueryClient();
  const act = async (run: () => Promise<LeftView | undefined>, done: string, question?: Question) => {
    if (question && !(await confirm(question))) return;
    try {
      const left = await run();
      toast(left ? done + leftBehind(left) : done);
    } catch (error) {
      toastError(`Could not change ${username}`, error);
    }
    void client.invalidateQueries({ queryKey: ["users"] });
  };
  const patch = (body: UserPatch, done: string, question?: Question) =>
    act(() => call("PATCH /users/{id}", { path: { id }, body }), done, question);
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
