import { SearchX } from "lucide-react";
import { NavLink, useParams } from "react-router";
import { EmptyState } from "@/components/ui/empty-state";
import { NotAllowed } from "@/components/ui/not-allowed";
import { PageHeader } from "@/components/ui/page-header";
import { ChannelsSection } from "@/features/channels/channels-section";
import { SinksSection } from "@/features/sinks/sinks-section";
import { cn } from "@/lib/cn";
import { useScrolledTo } from "@/lib/use-scrolled-to";
import { useCan } from "@/session/use-can";
import { AccountSection } from "./account/account-section";
import { AuditSection } from "./audit/audit-section";
import { KeysSection } from "./keys/keys-section";
import { MembersSection } from "./members/members-section";
import { ProjectSection } from "./project/project-section";
import { SecretsSection } from "./secrets/secrets-section";
import { sections } from "./sections";
import { UsersSection } from "./users/users-section";

const SHOWN = {
  project: ProjectSection,
  members: MembersSection,
  keys: KeysSection,
  secrets: SecretsSection,
  channels: ChannelsSection,
  sinks: SinksSection,
  audit: AuditSection,
  users: UsersSection,
  account: AccountSection,
};

export default function SettingsPage() {
  const can = useCan();
  const path = useParams()["*"] || "project";
  const allowed = sections.filter(({ permission }) => can(permission));
  const known = sections.some((section) => section.path === path);
  const Shown = allowed.some((section) => section.path === path)
    ? SHOWN[path as keyof typeof SHOWN]
    : known
      ? NotForYou
      : NoSuchPage;
  const row = useScrolledTo<HTMLElement>(path, "[aria-current=page]");
  return (
    <div className="grid gap-x-8 gap-y-4 md:grid-cols-[11rem_minmax(0,1fr)]">
      <nav ref={row} aria-label="Settings" className="-mx-1 flex gap-1 overflow-x-auto px-1 py-1 md:flex-col">
        {allowed.map(({ path: to, label, icon: Icon }) => (
          <NavLink
            key={to}
            to={`/settings/${to}`}
            aria-current={to === path ? "page" : undefined}
            className={cn(
              "flex shrink-0 items-center gap-2 rounded-md px-2 py-1.5 text-sm whitespace-nowrap",
              to === path ? "bg-accent-soft font-medium text-accent" : "text-soft hover:bg-hover hover:text-text",
            )}
          >
            <Icon aria-hidden className="size-4" /> {label}
          </NavLink>
        ))}
      </nav>
      <div className="min-w-0">
        <Shown />
      </div>
    </div>
  );
}

function NotForYou() {
  return (
    <>
      <PageHeader title="Settings" />
      <NotAllowed />
    </>
  );
}

function NoSuchPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <EmptyState icon={SearchX} title="Page not found">
        The settings are listed beside this; the address may have been mistyped.
      </EmptyState>
    </>
  );
}
