import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Dialog } from "@/components/ui/dialog";
import { copyText } from "@/lib/clipboard";
import { toast } from "@/lib/toasts";

interface OnceProps {
  title: string;
  text: string;
  /** A value that is shown only once. */
  value: string;
  onClose: () => void;
}

/** Something that is shown this once. */
export function Once({ title, text, value, onClose }: OnceProps) {
  const copy = async () => {
    if (await copyText(value)) toast("Copied");
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      footer={
        <>
          <Button onClick={() => void copy()}>Copy</Button>
          <Button variant="primary" onClick={onClose}>
            Done, I saved it
          </Button>
        </>
      }
    >
      <div className="flex items-start gap-2 rounded-md border border-line bg-sunken p-3">
        <code data-testid="once" className="min-w-0 flex-1 font-mono text-xs break-all">
          {value}
        </code>
        <CopyButton text={value} label="Copy" />
      </div>
    </Dialog>
  );
}
