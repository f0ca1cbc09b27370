import * as Radix from "@radix-ui/react-tabs";
import type { MouseEvent, ReactNode } from "react";
import { useScrolledTo } from "@/lib/use-scrolled-to";

export interface Tab {
  value: string;
  label: ReactNode;
}

interface TabsProps {
  /** The open tab: keep it in the URL, with useUrlState. */
  value: string;
  onValue: (value: string) => void;
  tabs: readonly Tab[];
  label: string;
  children: ReactNode;
}

/**
 * Radix focuses the tab by script, after which browsers show the ring that is meant for the keyboard. The browser's own
 * focus shows none, and opens the tab as well.
 */
function leaveFocusToBrowser(event: MouseEvent): void {
  if (event.button === 0 && !event.ctrlKey) event.stopPropagation();
}

export function Tabs({ value, onValue, tabs, label, children }: TabsProps) {
  const row = useScrolledTo<HTMLDivElement>(value, "[data-state=active]");
  return (
    <Radix.Root value={value} onValueChange={onValue}>
      <Radix.List ref={row} aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            onMouseDownCapture={leaveFocusToBrowser}
            onClick={() => onValue(tab.value)}
            className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {children}
    </Radix.Root>
  );
}

/** Closed tabs are not rendered, and send no requests. */
export function TabPanel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Radix.Content value={value} className="pt-4 focus-visible:outline-offset-4">
      {children}
    </Radix.Content>
  );
}
