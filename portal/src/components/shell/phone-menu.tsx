import { Sheet } from "@/components/ui/dialog";
import { LiveDot } from "./live-dot";
import { Links } from "./sidebar";

interface PhoneMenuProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function PhoneMenu({ open, onOpenChange }: PhoneMenuProps) {
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title="Horae" className="max-w-72">
      <div className="-mx-4">
        <Links onFollow={() => onOpenChange(false)} />
      </div>
      <div className="px-1 pt-2">
        <LiveDot />
      </div>
    </Sheet>
  );
}
