import { useLiveState } from "@/live/live";

/** Warns that the page may be stale while the server does not answer. */
export function OfflineBanner() {
  if (useLiveState() !== "polling") return null;
  return (
    <p role="status" className="bg-paused-soft px-4 py-1.5 text-center text-xs text-paused-text sm:px-6">
      Live updates are disconnected. Reconnecting; refreshing every 10 seconds meanwhile.
    </p>
  );
}
