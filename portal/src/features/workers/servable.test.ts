import { describe, expect, it } from "vitest";
import type { WorkerView } from "@/api/schema";
import { canBeTaken, missing, needsOf, type Target } from "./servable";

function worker(offers: string[], queues: string[] = [], status: WorkerView["status"] = "idle"): WorkerView {
  return { offers, queues, other_queues: 0, projects: [] as string[], other_projects: 0, status } as WorkerView;
}

describe("needsOf", () => {
  it("is what workers offer", () => {
    const of = (target: object) => needsOf(target as Target);
    expect(of({ kind: "http", url: "http://x" })).toBe("http");
    expect(of({ kind: "python", function: "work" })).toBe("python:work");
    expect(of({ kind: "artifact", uri: "s3://x" })).toBe("artifact");
    expect(of({ kind: "artifact", uri: "s3://x", image: "busybox" })).toBe("artifact:container");
  });
});

describe("canBeTaken", () => {
  it("wants one worker that serves the queue and offers it", () => {
    expect(canBeTaken([worker(["http"])], "mail", "http")).toBe(true);
    expect(canBeTaken([worker(["http"], ["mail"])], "mail", "http")).toBe(true);
    expect(canBeTaken([{ ...worker(["http"]), projects: ["billing"] }], "mail", "http")).toBe(false); // none yet
    expect(canBeTaken([worker(["http"], ["web"]), worker(["script"], ["mail"])], "mail", "http")).toBe(false);
  });

  it("does not count those that are gone or going", () => {
    expect(canBeTaken([worker(["http"], [], "offline"), worker(["http"], [], "draining")], "mail", "http")).toBe(false);
  });
});

describe("missing", () => {
  it("names what a user would have to start", () => {
    expect(missing([worker(["http"])], "gpu", "container")).toBe("No live worker in queue gpu offers container");
    expect(missing([worker(["http"], ["web"])], "gpu", "http")).toBe("No live worker serves queue gpu");
  });
});
