import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RunDetailView } from "@/api/schema";
import type { LogLine } from "@/lib/log-lines";
import { type FeedState, LogFeed } from "./log-feed";

export interface RunLogState {
  lines: LogLine[];
  version: number;
  state: FeedState;
  error: unknown;
}

const NOTHING: RunLogState = { lines: [], version: 0, state: "reading", error: null };

/** The log of a run as it comes; its status and progress are put into the run itself. */
export function useRunLog(id: string): RunLogState {
  const client = useQueryClient();
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const key = ["runs", "one", id];
    const feed = new LogFeed(id, {
      onChange: () =>
        setShown({ lines: feed.log.lines, version: feed.log.version, state: feed.state, error: feed.error }),
      onRun: (told) =>
        client.setQueryData<RunDetailView>(key, (old) => (old ? ({ ...old, ...told } as RunDetailView) : undefined)),
      onEnd: () => void client.invalidateQueries({ queryKey: key }),
    });
    feed.start();
    return () => {
      feed.stop();
      setShown(NOTHING);
    };
  }, [client, id]);
  return shown;
}
