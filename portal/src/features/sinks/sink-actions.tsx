import { useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import type { SinkView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import { SinkForm } from "./sink-form";

export function SinkActions({ sink, installation }: { sink: SinkView; installation: boolean }) {
  const may = useCan()("sinks:write");
  const { test, enable, remove } = useSinkVerbs(sink, installation);
  const [editing, setEditing] = useState(false);
  if (!may) return null;
  return (
    <span className="flex items-center justify-end gap-1">
      {sink.enabled && !sink.unreadable ? (
        <Button
          size="sm"
          className="hidden sm:inline-flex"
          aria-label={`Test ${sink.name}`}
          onClick={() => void test()}
        >
          <Send /> Test
        </Button>
      ) : null}
      <Menu
        trigger={
          <Button variant="ghost" size="icon-sm" aria-label={`More for ${sink.name}`}>
            <EllipsisVertical />
          </Button>
        }
      >
        {sink.unreadable ? null : (
          <MenuItem onSelect={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit
          </MenuItem>
        )}
        {sink.unreadable ? null : (
          <MenuItem onSelect={() => void enable(!sink.enabled)}>
            <Power aria-hidden /> {sink.enabled ? "Disable" : "Enable"}
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem danger onSelect={() => void remove()}>
          <Trash2 aria-hidden /> Delete
        </MenuItem>
      </Menu>
      {editing ? <SinkForm sink={sink} installation={installation} onClose={() => setEditing(false)} /> : null}
    </span>
  );
}

function useSinkVerbs(sink: SinkView, installation: boolean) {
  const client = useQueryClient();
  const given = { path: { id: sink.id }, query: installation ? { installation } : {} };
  const done = async (words: string, failure: string, work: () => Promise<unknown>) => {
    try {
      await work();
      toast(words);
    } catch (error) {
      toastError(failure, error);
    }
    void client.invalidateQueries({ queryKey: ["sinks"] });
  };
  const test = () =>
    done(`Queued a test event for ${sink.name}`, `Could not test ${sink.name}`, () =>
      call("POST /sinks/{id}/test", given),
    );
  const enable = (enabled: boolean) =>
    done(`${enabled ? "Enabled" : "Disabled"} ${sink.name}`, `Could not change ${sink.name}`, () =>
      call("PATCH /sinks/{id}", { ...given, body: { enabled } }),
    );
  const remove = async () => {
    const sure = await confirm({
      title: `Delete the sink ${sink.name}?`,
      text: "Events that wait for it are dropped. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (sure) {
      await done(`Deleted ${sink.name}`, `Could not delete ${sink.name}`, () => call("DELETE /sinks/{id}", given));
    }
  };
  return { test, enable, remove };
}
