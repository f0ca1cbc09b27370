import { titled } from "@/lib/words";

/** Rules whose names say too little without their subject. */
const WORDS: Record<string, string> = {
  nobody_can_take: "No capable worker",
  queued: "Long queue wait",
  failing: "Failing repeatedly",
  late: "Late start",
  stuck: "Stuck run",
  not_done: "Not done in time",
  missed: "Missed occurrence",
  not_fired: "Schedules not firing",
  database: "Database unreachable",
  disk: "Disk filling up",
  partitions: "Missing partitions",
};

export function ruleWords(rule: string): string {
  return WORDS[rule] ?? titled(rule);
}
