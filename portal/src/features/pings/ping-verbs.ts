import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { PingView } from "@/api/schema";
import { confirm } from "@/lib/confirm";
import { toast, toastError } from "@/lib/toasts";

export function usePingVerbs() {
  const client = useQueryClient();
  const known = (ping: PingView) => {
    client.setQueryData(["pings", "one", ping.id], ping);
    void client.invalidateQueries({ queryKey: ["pings"] });
    void client.invalidateQueries({ queryKey: ["alerts"] });
  };
  /** Throws what the dialog shows. */
  const pause = async (ping: PingView, until: string) => {
    known(await call("POST /pings/{id}/pause", { path: { id: ping.id }, ...(until ? { body: { until } } : {}) }));
    toast(`Paused ${ping.name}`, { undo: () => void resume(ping) });
  };
  const resume = async (ping: PingView) => {
    try {
      known(await call("POST /pings/{id}/resume", { path: { id: ping.id } }));
      toast(`Resumed ${ping.name}`);
    } catch (error) {
      toastError(`Could not resume ${ping.name}`, error);
    }
  };
  const rotate = async (ping: PingView) => {
    const sure = await confirm({
      title: `Replace the URL of ${ping.name}?`,
      text: "The old URL stops working at once. Change it wherever the job calls it.",
      action: "Replace URL",
      danger: true,
    });
    if (!sure) return;
    try {
      known(await call("POST /pings/{id}/rotate", { path: { id: ping.id } }));
      toast(`Replaced the URL of ${ping.name}`);
    } catch (error) {
      toastError("Could not replace the URL", error);
    }
  };
  const remove = async (ping: PingView): Promise<boolean> => {
    const sure = await confirm({
      title: `Delete the ping ${ping.name}?`,
      text: "Its URL stops working, and its events and badges go with it. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (!sure) return false;
    try {
      await call("DELETE /pings/{id}", { path: { id: ping.id } });
    } catch (error) {
      toastError(`Could not delete ${ping.name}`, error);
      return false;
    }
    toast(`Deleted ${ping.name}`);
    return true;
  };
  return { known, pause, resume, rotate, remove };
}
