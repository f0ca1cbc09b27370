import { useQueryClient } from "@tanstack/react-query";
import { call } from "@/api/client";
import type { AlertView } from "@/api/schema";
import { toast, toastError } from "@/lib/toasts";
import { useCan } from "@/session/use-can";

/** Whether one may acknowledge and silence it: those of the installation are for admins. */
export function useMayCare(): (alert: AlertView) => boolean {
  const can = useCan();
  return (alert) => can("alerts:ack") && (alert.project !== null || can("users:write"));
}

export function useAlertVerbs() {
  const client = useQueryClient();
  const known = (alert: AlertView) => {
    client.setQueryData(["alerts", "one", alert.id], alert);
    void client.invalidateQueries({ queryKey: ["alerts"] });
  };
  const acknowledge = async (alert: AlertView, note?: string) => {
    try {
      known(await call("POST /alerts/{id}/ack", { path: { id: alert.id }, body: note ? { note } : {} }));
      toast(note && alert.acknowledged_at ? "Saved the note" : `Acknowledged: ${alert.title}`);
    } catch (error) {
      toastError("Could not acknowledge the alert", error);
      void client.invalidateQueries({ queryKey: ["alerts"] }); // it may have cleared meanwhile
    }
  };
  /** Throws what the dialog shows. */
  const silence = async (alert: AlertView, until: string, note: string) => {
    const body = { until, ...(note ? { note } : {}) };
    known(await call("POST /alerts/{id}/silence", { path: { id: alert.id }, body }));
    toast(`Silenced: ${alert.title}`, { undo: () => void unsilence(alert) });
  };
  const unsilence = async (alert: AlertView) => {
    try {
      known(await call("POST /alerts/{id}/silence", { path: { id: alert.id }, body: { for: 0 } }));
      toast(`No longer silenced: ${alert.title}`);
    } catch (error) {
      toastError("Could not unsilence the alert", error);
    }
  };
  return { acknowledge, silence, unsilence };
}
