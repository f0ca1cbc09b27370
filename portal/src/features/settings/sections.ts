import {
  BellRing,
  Building2,
  KeyRound,
  Lock,
  type LucideIcon,
  RadioTower,
  ScrollText,
  User,
  UserCog,
  Users,
} from "lucide-react";

export interface Section {
  path: string;
  label: string;
  icon: LucideIcon;
  /** Users without this permission do not see it. */
  permission: string;
}

export const sections: Section[] = [
  { path: "project", label: "Project", icon: Building2, permission: "projects:read" },
  { path: "members", label: "Members", icon: Users, permission: "members:read" },
  { path: "keys", label: "API keys", icon: KeyRound, permission: "keys:read" },
  { path: "secrets", label: "Secrets", icon: Lock, permission: "secrets:read" },
  { path: "channels", label: "Channels", icon: BellRing, permission: "channels:read" },
  { path: "sinks", label: "Event sinks", icon: RadioTower, permission: "sinks:read" },
  { path: "audit", label: "Audit trail", icon: ScrollText, permission: "audit:read" },
  { path: "users", label: "Users", icon: UserCog, permission: "users:read" },
  { path: "account", label: "My account", icon: User, permission: "account:own" },
];
