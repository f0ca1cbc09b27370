import { expect, it } from "vitest";
import { qrPath } from "./qr-path";

it("draws each run of dark modules once", () => {
  expect(qrPath(["1101", "0000", "0111"])).toBe("M0 0h2v1h-2zM3 0h1v1h-1zM1 2h3v1h-3z");
});
