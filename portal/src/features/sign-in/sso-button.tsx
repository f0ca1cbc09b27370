import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Refusal } from "@/components/ui/refusal";
import { leaveForProvider } from "@/session/sso";

interface SsoButtonProps {
  name: string;
  /** It is the way in, not one of two. */
  only: boolean;
}

export function SsoButton({ name, only }: SsoButtonProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    setError(null);
    try {
      await leaveForProvider();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <div className="space-y-4">
      {only ? null : (
        <div className="mt-4 flex items-center gap-3 text-xs text-muted" aria-hidden>
          <span className="h-px flex-1 bg-line" />
          or
          <span className="h-px flex-1 bg-line" />
        </div>
      )}
      <Refusal error={error} />
      <Button
        size="lg"
        variant={only ? "primary" : "secondary"}
        className="w-full"
        busy={busy}
        onClick={() => void leave()}
      >
        Sign in with {name}
      </Button>
    </div>
  );
}
