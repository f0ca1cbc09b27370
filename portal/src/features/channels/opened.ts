import type { ChannelView } from "@/api/schema";

/** What is open over the list of channels, and for which of them. */
export type Opened = { what: "form" | "test" | "log"; channel?: ChannelView } | null;
