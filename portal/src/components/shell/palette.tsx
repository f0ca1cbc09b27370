import * as Radix from "@radix-ui/react-dialog";
import { Search } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { useNavigate } from "react-router";
import { cn } from "@/lib/cn";
import { type Command, usePaletteCommands } from "./palette-commands";

/** The command palette (Ctrl-K): opens any page, finds jobs by name and runs by id, and runs global actions. */
export default function Palette({ begin, onClose }: { begin: () => string; onClose: () => void }) {
  const [text, setText] = useState(begin);
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const list = useId();
  const commands = usePaletteCommands(text);
  const current = Math.min(at, commands.length - 1);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (command.path) void navigate(command.path);
    else command.run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((current + step + commands.length) % Math.max(commands.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(commands[current]);
    }
  };
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-surface shadow-xl"
        >
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <div className="flex items-center gap-2 border-b border-line px-3">
            <Search aria-hidden className="size-4 shrink-0 text-muted" />
            <input
              role="combobox"
              aria-label="Search jobs, pages and commands"
              aria-expanded="true"
              aria-controls={list}
              aria-activedescendant={commands[current] ? `${list}-${current}` : undefined}
              placeholder="Search jobs, pages and commands"
              value={text}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                setText(event.target.value);
                setAt(0);
              }}
              className="h-11 w-full bg-transparent text-sm outline-none placeholder:text-muted"
            />
          </div>
          <div id={list} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-1">
            {commands.map((command, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's, which keeps the focus
              <div
                key={command.id}
                id={`${list}-${index}`}
                ref={index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                onMouseMove={() => setAt(index)}
                onClick={() => choose(command)}
                className={cn(
                  "flex cursor-pointer items-center gap-2.5 rounded px-2.5 py-2 text-sm",
                  index === current && "bg-hover",
                )}
              >
                <command.icon aria-hidden className="size-4 shrink-0 text-muted" />
                <span className="min-w-0 flex-1 truncate">{command.label}</span>
                <span className="text-xs text-muted">{command.kind}</span>
              </div>
            ))}
          </div>
          {commands.length === 0 ? <p className="px-4 pb-4 text-sm text-muted">No results.</p> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
