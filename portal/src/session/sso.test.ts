import { afterEach, expect, it, vi } from "vitest";
import { comeBack, problemIn, takeOutcome } from "./sso";

function at(hash: string, kept: string | null = null) {
  const replaced = vi.fn();
  const stored = new Map(kept === null ? [] : [["horae.left-hash", kept]]);
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  };
  vi.stubGlobal("location", { pathname: "/join", search: "?a=1", hash });
  vi.stubGlobal("history", { replaceState: (_: unknown, __: string, url: string) => replaced(url) });
  vi.stubGlobal("sessionStorage", storage);
  vi.stubGlobal("localStorage", storage);
  return { replaced, stored };
}

afterEach(() => vi.unstubAllGlobals());

it("notes that the user is signed in, and restores the # of the address", () => {
  const { replaced, stored } = at("#sso=in", "#hi1_token");
  comeBack();
  expect(replaced).toHaveBeenCalledWith("/join?a=1#hi1_token");
  expect(stored.get("horae.session")).toBe("1");
  expect(stored.has("horae.left-hash")).toBe(false);
  expect(takeOutcome()).toBe("in");
  expect(takeOutcome()).toBeNull();
});

it("leaves other hashes alone", () => {
  const { replaced } = at("#hi1_token");
  comeBack();
  expect(replaced).not.toHaveBeenCalled();
  expect(takeOutcome()).toBeNull();
});

it("has words for every refusal, and never the address's own", () => {
  at("#sso=taken");
  comeBack();
  expect(problemIn(takeOutcome())).toContain("exists already");
  expect(problemIn("made-up")).toContain("did not work");
  expect(problemIn("in")).toBeNull();
});
