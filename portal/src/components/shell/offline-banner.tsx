import { useLiveState } from "@/live/live";

/** Says that what is shown may be old, while nothing comes from the server. */
export function OfflineBanner() {
  if (useLiveState() !== "polling") return null;
  return (
    <p role="status" className="bg-paused-soft px-4 py-1.5 text-center text-xs text-paused-text sm:px-6">
      The live connection is gone. This page tries again by itself, and reads what is new every ten seconds until then.
    </p>
  );
}
