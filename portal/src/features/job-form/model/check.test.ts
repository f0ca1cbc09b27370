import { describe, expect, it } from "vitest";
import { violations } from "./check";
import { mistakes, mistakesIn, readDraft } from "./draft";

const script = { kind: "script", source: "true" };
const said = (fields: object) =>
  mistakesIn({ name: "a", target: script, ...fields }).map(({ field, message }) => `${field}: ${message}`);
const http = (fields: object) => said({ target: { kind: "http", url: "https://a.example", ...fields } });

describe("what the description of the API says", () => {
  it("is silent where all is well, or left to the server", () => {
    const limits = { memory: "512MiB", cpu: 0.5, files: 8 };
    expect(
      said({ timeout: "5m", max_instances: null, tags: ["a"], target: { ...script, env: { A_1: "" }, limits } }),
    ).toEqual([]);
    expect(said({ target: { kind: "carrier-pigeon" }, schedule: { cron: 7 } })).toEqual([]);
    expect(violations("nothing of the kind")).toEqual([{ field: "", message: "must be an object" }]);
  });

  it.each([
    [{ timeout: "soon" }, 'timeout: must be a number or a text such as "1h30m"'],
    [{ catch_up_window: -1 }, "catch_up_window: should be greater than or equal to 0"],
    [{ timeout: 0 }, "timeout: should be greater than or equal to 1"],
    [{ priority: 10 }, "priority: should be less than or equal to 9"],
    [{ max_instances: 1.5 }, "max_instances: should be a valid integer"],
    [{ tags: ["a", ""] }, "tags[1]: should have at least 1 character"],
    [{ queue: "q".repeat(101) }, "queue: should have at most 100 characters"],
    [{ retry: { permanent_exit_codes: [256] } }, "retry.permanent_exit_codes[0]: should be less than or equal to 255"],
    [{ target: { ...script, env: { "9A": "" } } }, "target.env.9A: should match pattern '^[A-Za-z_][A-Za-z0-9_]*$'"],
    [{ target: { ...script, limits: { cpu: 0 } } }, "target.limits.cpu: should be greater than 0"],
    [
      { target: { ...script, limits: { memory: "much" } } },
      'target.limits.memory: must be a number or a text such as "512MiB"',
    ],
    [
      { target: { ...script, limits: { memory: 1024 } } },
      "target.limits.memory: should be greater than or equal to 1048576",
    ],
  ])("%j", (fields, message) => {
    expect(said(fields)).toEqual([message]);
  });
});

describe("what it does not say", () => {
  it.each([
    "https://a.example/{{ input.order | tojson }}?b=1",
    "http://127.0.0.1:8080",
    "http://[::1]/",
    "HTTPS://A",
    "https://a.example/@me",
  ])("%s is a URL", (url) => {
    expect(http({ url })).toEqual([]);
  });

  it.each([
    ["ftp://a.example", "must begin with http:// or https://"],
    ["a.example", "must begin with http:// or https://"],
    ["https://a example", "must not contain whitespace or control characters"],
    ["https://me:pw@a.example", "must not contain a username or password; put them in a secret"],
    ["https:///path", "does not have a valid host"],
    [
      "https://{{ input.host }}/",
      "must have a literal scheme and host: templates are allowed only in the path and query",
    ],
  ])("%s is none", (url, message) => {
    expect(http({ url })).toEqual([`target.url: ${message}`]);
  });

  it("names of headers, statuses, digests", () => {
    expect(http({ headers: { "X-A": "1", "X A": "1" } })).toEqual(["target.headers.X A: is not a valid header name"]);
    expect(http({ expect: ["2xx", "200-204", "ok"] })).toHaveLength(1);
    expect(said({ target: { kind: "artifact", uri: "s3://b/a.zip", digest: "sha256:1", entrypoint: "a:b" } })).toEqual([
      'target.digest: must be "sha256:" and 64 hexadecimal digits',
    ]);
  });
});

it("says of a field that is still empty nothing but that, and only when it is saved", () => {
  expect(mistakes(readDraft({ target: { kind: "artifact" } }))).toEqual([]);
});
