/** How the shards of each scheduler look; letters distinguish more than six of them. */
export const OWNERS = [
  "bg-accent-soft text-accent",
  "bg-scheduled-soft text-scheduled-text",
  "bg-paused-soft text-paused-text",
  "bg-queued-soft text-queued-text",
  "bg-succeeded-soft text-succeeded-text",
  "bg-running-soft text-running-text",
];
