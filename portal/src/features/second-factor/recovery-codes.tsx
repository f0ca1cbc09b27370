import { Copy, Download } from "lucide-react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/lib/clipboard";
import { saveAs } from "@/lib/save";
import { toast } from "@/lib/toasts";

/** Shown this once: each signs in once without the phone. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  const text = `${codes.join("\n")}\n`;
  const copy = async () => {
    if (await copyText(text)) toast("Copied the recovery codes");
  };
  return (
    <div className="space-y-3">
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-md border border-line bg-sunken p-3 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void copy()}>
          <Copy /> Copy
        </Button>
        <Button onClick={() => saveAs(new Blob([text], { type: "text/plain" }), "horae-recovery-codes.txt")}>
          <Download /> Download
        </Button>
      </div>
    </div>
  );
}
