import { Play } from "lucide-react";
import type { JobBody } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DiffView } from "@/components/ui/diff-view";
import { toYaml } from "@/lib/yaml";

interface ReviewProps {
  before: JobBody;
  after: JobBody;
  busy: boolean;
  mayRun: boolean;
  onSave: (run: boolean) => void;
  onClose: () => void;
}

/** What an edit changes, before it is saved. */
export function Review({ before, after, busy, mayRun, onSave, onClose }: ReviewProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Save these changes?"
      description="Removed lines are red, added lines are green."
      className="max-w-3xl"
      footer={
        <>
          <Button onClick={onClose}>Keep editing</Button>
          {mayRun ? (
            <Button disabled={busy} onClick={() => onSave(true)}>
              <Play /> Save and run
            </Button>
          ) : null}
          <Button variant="primary" busy={busy} onClick={() => onSave(false)}>
            Save
          </Button>
        </>
      }
    >
      <DiffView before={toYaml(before)} after={toYaml(after)} />
    </Dialog>
  );
}
