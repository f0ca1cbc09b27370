import { NavLink } from "react-router";
import { navigation } from "@/app/navigation";
import { cn } from "@/lib/cn";
import { AttentionCount } from "./attention-count";
import { Brand } from "./brand";
import { LiveDot } from "./live-dot";

export function Sidebar() {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-surface lg:flex">
      <div className="flex h-12 items-center px-4">
        <Brand />
      </div>
      <Links />
      <div className="mt-auto border-t border-line px-4 py-3">
        <LiveDot />
      </div>
    </aside>
  );
}

export function Links({ onFollow }: { onFollow?: () => void }) {
  return (
    <nav aria-label="Main" className="space-y-0.5 px-2 py-2">
      {navigation.map(({ path, label, icon: Icon, key }) => (
        <NavLink
          key={path}
          to={path}
          end={path === "/"}
          onClick={onFollow}
          className={({ isActive }) =>
            cn(
              "group flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm",
              isActive ? "bg-accent-soft font-medium text-accent" : "text-soft hover:bg-hover hover:text-text",
            )
          }
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          <span className="flex-1">{label}</span>
          <kbd aria-hidden className="hidden font-mono text-[11px] text-muted group-hover:inline">
            g {key}
          </kbd>
          {path === "/alerts" ? <AttentionCount /> : null}
        </NavLink>
      ))}
    </nav>
  );
}
