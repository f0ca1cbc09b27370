import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";
import { Button } from "@/components/ui/button";
import { Tooltip } from "@/components/ui/tooltip";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { SetSecret } from "./set-secret";

export function SecretActions({ name }: { name: string }) {
  const can = useCan();
  const client = useQueryClient();
  const [replacing, setReplacing] = useState(false);
  if (!can("secrets:write")) return null;
  const remove = async () => {
    try {
      if (await removed(name)) toast(`Deleted ${name}`);
    } catch (error) {
      toastError(`Could not delete ${name}`, error);
    }
    void client.invalidateQueries({ queryKey: ["secrets"] });
  };
  return (
    <div className="flex justify-end gap-0.5">
      <Tooltip content="Replace">
        <Button variant="ghost" size="icon-sm" aria-label={`Replace ${name}`} onClick={() => setReplacing(true)}>
          <RefreshCw />
        </Button>
      </Tooltip>
      <Tooltip content="Delete">
        <Button variant="ghost" size="icon-sm" aria-label={`Delete ${name}`} onClick={() => void remove()}>
          <Trash2 />
        </Button>
      </Tooltip>
      {replacing ? <SetSecret name={name} onClose={() => setReplacing(false)} /> : null}
    </div>
  );
}

/** Asks, and asks again if jobs use it: the server says which. False if the user cancels. */
async function removed(name: string): Promise<boolean> {
  const text = "The value is deleted permanently.";
  if (!(await confirm({ title: `Delete ${name}?`, text, action: "Delete", danger: true }))) return false;
  try {
    await call("DELETE /secrets/{name}", { path: { name } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const question = `${messageOf(error)} Their next runs will fail.`;
    const sure = await confirm({
      title: `${name} is in use`,
      text: question,
      action: "Delete anyway",
      danger: true,
    });
    if (!sure) return false;
    await call("DELETE /secrets/{name}", { path: { name }, query: { force: true } });
  }
  return true;
}
