import { BookOpen, LogOut, User } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLabel, MenuLine } from "@/components/ui/menu";
import { toastError } from "@/lib/toasts";
import { signOut, useSession } from "@/session/session";

export function UserMenu() {
  const session = useSession();
  if (session.state !== "in") return null;
  const name = session.me.user?.username ?? session.me.actor;
  const role = session.me.is_admin ? "admin" : (session.place?.role ?? "no role");
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={`Account of ${name}`}>
          <User />
        </Button>
      }
    >
      <MenuLabel>
        <span className="block text-sm font-medium text-text">{name}</span>
        {role}
      </MenuLabel>
      <MenuLine />
      <MenuItem asChild>
        <a href="/docs">
          <BookOpen aria-hidden /> API reference
        </a>
      </MenuItem>
      <MenuItem
        onSelect={() =>
          void signOut().catch((error: unknown) =>
            toastError("Signed out in this browser, but not on the server", error),
          )
        }
      >
        <LogOut aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  );
}
