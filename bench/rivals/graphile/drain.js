// graphile-worker draining no-op jobs, with the settings that its page on performance recommends.
// DATABASE_URL and COUNT come from the environment. It says "filled" when the jobs are queued, waits for a line, and
// answers with one line of JSON.
import { once } from "node:events";
import { Logger, makeWorkerUtils, run } from "graphile-worker";

const connectionString = process.env.DATABASE_URL;
const count = Number(process.env.COUNT);
const logger = new Logger(() => () => {}); // silent: a line per job would cost more than the job

const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const fillBegan = performance.now();
for (let start = 0; start < count; start += 1000) {
  const jobs = Array.from({ length: Math.min(1000, count - start) }, () => ({ identifier: "nothing", payload: {} }));
  await utils.addJobs(jobs);
}
const fillSeconds = (performance.now() - fillBegan) / 1000;

console.log("filled");
await once(process.stdin, "data");

let done = 0;
let began;
let usageBefore;
let finish;
const allDone = new Promise((resolve) => {
  finish = resolve;
});

const runner = await run({
  preset: {
    worker: {
      connectionString,
      logger,
      concurrentJobs: 24,
      maxPoolSize: 25,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: {
    nothing: async () => {
      if (began === undefined) {
        began = performance.now();
        usageBefore = process.cpuUsage();
      }
      done += 1;
      if (done === count) finish();
    },
  },
  noHandleSignals: true,
});
await allDone;

// Every task has run; the last batch of completions may still be on its way.
const left = async () =>
  utils.withPgClient(async (client) => {
    const { rows } = await client.query("select count(*)::int as n from graphile_worker.jobs");
    return rows[0].n;
  });
while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
const seconds = (performance.now() - began) / 1000;
const usage = process.cpuUsage(usageBefore);

console.log(
  JSON.stringify({ count: done, seconds, cpu: (usage.user + usage.system) / 1e6, queued: count / fillSeconds }),
);
await runner.stop();
await utils.release();
process.exit(0);
