/** How the shards of each scheduler look; the letter tells more than six of them apart. */
export const OWNERS = [
  "bg-accent-soft text-accent",
  "bg-scheduled-soft text-scheduled-text",
  "bg-paused-soft text-paused-text",
  "bg-queued-soft text-queued-text",
  "bg-succeeded-soft text-succeeded-text",
  "bg-running-soft text-running-text",
];
