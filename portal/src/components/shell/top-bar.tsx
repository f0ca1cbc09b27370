import { CircleHelp, Menu as MenuIcon, Search } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { plural } from "@/lib/words";
import { Brand } from "./brand";
import { OperationsTray } from "./operations/operations-tray";
import { PhoneMenu } from "./phone-menu";
import { ProjectSwitcher } from "./project-switcher";
import { ThemeSwitch } from "./theme-switch";
import { UserMenu } from "./user-menu";

interface TopBarProps {
  /** How many alerts need attention: shown while the menu is folded. */
  waiting: number;
  onSearch: () => void;
  onHelp: () => void;
}

export function TopBar({ waiting, onSearch, onHelp }: TopBarProps) {
  const [menu, setMenu] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-3 sm:px-6">
      <Button
        variant="ghost"
        size="icon"
        aria-label={waiting > 0 ? `Menu, ${plural(waiting, "alert")}` : "Menu"}
        className="relative lg:hidden"
        onClick={() => setMenu(true)}
      >
        <MenuIcon />
        {waiting > 0 ? <span aria-hidden className="absolute top-1 right-1 size-2 rounded-full bg-failed" /> : null}
      </Button>
      <span className="hidden sm:block lg:hidden">
        <Brand />
      </span>
      <ProjectSwitcher />
      <button
        type="button"
        onClick={onSearch}
        className="ml-auto flex h-8 items-center gap-2 rounded-md border border-line bg-page px-2.5 text-sm text-muted hover:bg-hover sm:w-64"
      >
        <Search aria-hidden className="size-4" />
        <span className="sr-only sm:not-sr-only sm:flex-1 sm:text-left sm:whitespace-nowrap">Search or command</span>
        <span className="hidden sm:block">
          <Kbd keys="mod+k" />
        </span>
      </button>
      <OperationsTray />
      <Button variant="ghost" size="icon" aria-label="Shortcuts" className="hidden sm:inline-flex" onClick={onHelp}>
        <CircleHelp />
      </Button>
      <ThemeSwitch />
      <UserMenu />
      <PhoneMenu open={menu} onOpenChange={setMenu} />
    </header>
  );
}
