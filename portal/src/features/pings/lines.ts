import type { PingView } from "@/api/schema";
import { record } from "@/features/job-form/model/read";

export interface Lines {
  value: string;
  label: string;
  text: string;
  note: string;
}

const CURL = "curl -fsS -m 10 --retry 5 -o /dev/null";

/** How a job elsewhere calls the ping: ready to be copied. */
export function linesOf(url: string, schedule: PingView["schedule"]): Lines[] {
  const cron = cronOf(record(schedule));
  return [
    {
      value: "crontab",
      label: "crontab",
      text: `${cron} /usr/local/bin/backup; ${CURL} ${url}/$?`,
      note: "Reports the exit code: 0 is a success, anything else a failure.",
    },
    {
      value: "curl",
      label: "curl",
      text: [
        `${CURL} ${url}/start   # it starts`,
        `${CURL} ${url}         # it succeeded`,
        `${CURL} ${url}/fail    # it failed`,
        `tail -c 10000 backup.log | ${CURL} --data-binary @- ${url}   # with the end of its log`,
      ].join("\n"),
      note: "--retry matters: a call that is lost looks like a job that did not run.",
    },
    {
      value: "systemd",
      label: "systemd",
      text: [
        "[Service]",
        `ExecStartPre=-${CURL} ${url}/start`,
        "ExecStart=/usr/local/bin/backup",
        `ExecStopPost=-/bin/sh -c '${CURL} ${url}/$([ "$SERVICE_RESULT" = success ] && echo 0 || echo 1)'`,
      ].join("\n"),
      note: "Reports the start and the end, also when the service is killed.",
    },
    {
      value: "horae",
      label: "horae ping",
      text: `${cron} horae ping ${url} -- /usr/local/bin/backup`,
      note: "Runs the command, and reports its start, its exit code and the end of its output. Needs no account.",
    },
  ];
}

/** When crontab is to run it: as the ping expects, where crontab can say that. */
function cronOf({ cron, every }: Record<string, unknown>): string {
  if (typeof cron === "string") return cron;
  const [, digits, unit] = /^(\d+)([mh])$/.exec(String(every)) ?? [];
  const number = Number(digits);
  if (unit === "m" && 60 % number === 0 && number < 60) return number === 1 ? "* * * * *" : `*/${number} * * * *`;
  if (unit === "h" && 24 % number === 0 && number < 24) return number === 1 ? "0 * * * *" : `0 */${number} * * *`;
  return "0 3 * * *";
}

/** The address that a program calls: one without a host is this server's. */
export function fullUrl(url: string, origin: string): string {
  return url.startsWith("/") ? `${origin}${url}` : url;
}
