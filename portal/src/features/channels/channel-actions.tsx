import { useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, List, Pencil, Power, Send, Trash2 } from "lucide-react";
import { call } from "@/api/client";
import { ApiError, messageOf } from "@/api/errors";
import type { ChannelView } from "@/api/schema";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";
import type { Opened } from "./opened";

interface ChannelActionsProps {
  channel: ChannelView;
  installation: boolean;
  onOpen: (opened: Opened) => void;
}

export function ChannelActions({ channel, installation, onOpen }: ChannelActionsProps) {
  const may = useCan()("channels:write");
  const { remove, enable } = useChannelVerbs(installation);
  const usable = may && !channel.unreadable;
  return (
    <span className="flex items-center justify-end gap-1">
      {usable ? (
        <Button
          size="sm"
          className="hidden sm:inline-flex"
          aria-label={`Test ${channel.name}`}
          onClick={() => onOpen({ what: "test", channel })}
        >
          <Send /> Test
        </Button>
      ) : null}
      <Menu
        trigger={
          <Button variant="ghost" size="icon-sm" aria-label={`More for ${channel.name}`}>
            <EllipsisVertical />
          </Button>
        }
      >
        <MenuItem onSelect={() => onOpen({ what: "log", channel })}>
          <List aria-hidden /> Delivery log
        </MenuItem>
        {usable ? (
          <>
            <MenuItem onSelect={() => onOpen({ what: "test", channel })}>
              <Send aria-hidden /> Send a test
            </MenuItem>
            <MenuItem onSelect={() => onOpen({ what: "form", channel })}>
              <Pencil aria-hidden /> Edit
            </MenuItem>
            <MenuItem onSelect={() => void enable(channel, !channel.enabled)}>
              <Power aria-hidden /> {channel.enabled ? "Disable" : "Enable"}
            </MenuItem>
          </>
        ) : null}
        {may ? (
          <>
            <MenuLine />
            <MenuItem danger onSelect={() => void remove(channel)}>
              <Trash2 aria-hidden /> Delete
            </MenuItem>
          </>
        ) : null}
      </Menu>
    </span>
  );
}

function useChannelVerbs(installation: boolean) {
  const client = useQueryClient();
  const query = installation ? { installation } : {};
  const reread = () => void client.invalidateQueries({ queryKey: ["channels"] });
  const enable = async (channel: ChannelView, enabled: boolean) => {
    try {
      await call("PATCH /channels/{id}", { path: { id: channel.id }, query, body: { enabled } });
      toast(`${enabled ? "Enabled" : "Disabled"} ${channel.name}`, { undo: () => void enable(channel, !enabled) });
    } catch (error) {
      toastError(`Could not change ${channel.name}`, error);
    }
    reread();
  };
  const remove = async (channel: ChannelView) => {
    const sure = await confirm({
      title: `Delete the channel ${channel.name}?`,
      text: "Its delivery log goes with it, and pending messages are not sent. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (sure) await erase(channel, false);
  };
  const erase = async (channel: ChannelView, force: boolean): Promise<void> => {
    try {
      await call("DELETE /channels/{id}", { path: { id: channel.id }, query: { ...query, force } });
      toast(`Deleted ${channel.name}`);
    } catch (error) {
      const named = error instanceof ApiError && error.status === 409;
      if (!named || force) toastError(`Could not delete ${channel.name}`, error);
      else if (await confirm({ title: "Delete it anyway?", text: messageOf(error), action: "Delete", danger: true }))
        return erase(channel, true);
    }
    reread();
  };
  return { enable, remove };
}
