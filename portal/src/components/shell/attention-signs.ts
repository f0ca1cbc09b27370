import { useEffect } from "react";
import { countOf, iconOf, needing } from "@/features/alerts/attention";
import { useMonitoredAlerts } from "@/features/alerts/queries";
import { countInTitle } from "@/lib/page-title";

/** The number of alerts that need attention; also in the title and icon of the browser tab, for users on another tab. */
export function useAttentionSigns(): number {
  const { data } = useMonitoredAlerts();
  const count = countOf(data);
  const icon = iconOf(needing(data));
  useEffect(() => countInTitle(count), [count]);
  useEffect(() => setIcon(icon), [icon]);
  useEffect(
    () => () => {
      countInTitle(0);
      setIcon(iconOf([]));
    },
    [],
  );
  return count;
}

function setIcon(href: string): void {
  document.querySelector("link[rel=icon]")?.setAttribute("href", href);
}
