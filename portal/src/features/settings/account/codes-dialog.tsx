import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { RecoveryCodes } from "@/features/second-factor/recovery-codes";

export function CodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Save your recovery codes"
      description="Each signs you in once if you lose your phone. They are not shown again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Done, I saved them
        </Button>
      }
    >
      <RecoveryCodes codes={codes} />
    </Dialog>
  );
}
