import { Dialog } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";
import { allHotkeys } from "@/lib/hotkeys";

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(allHotkeys(), (hotkey) => hotkey.group);
  return (
    <Dialog open onOpenChange={onClose} title="Shortcuts" className="max-w-xl">
      <div className="grid gap-6 sm:grid-cols-2">
        {[...groups].map(([group, hotkeys]) => (
          <section key={group}>
            <h3 className="mb-2 text-xs font-medium text-muted">{group}</h3>
            <ul className="space-y-1.5">
              {hotkeys.map((hotkey) => (
                <li key={hotkey.keys} className="flex items-center justify-between gap-4 text-sm">
                  {hotkey.label}
                  <Kbd keys={hotkey.keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
