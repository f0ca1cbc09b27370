import { expect, it } from "vitest";
import { pathIn, projectIn } from "./project-path";

it.each([
  ["/jobs", null],
  ["/p/finance", "finance"],
  ["/p/finance/jobs/7", "finance"],
  ["/p/", null],
])("the project of %s is %s", (path, project) => {
  expect(projectIn(path)).toBe(project);
});

it("goes to the same page of another project, without ids of this one", () => {
  expect(pathIn("mail", "/p/finance/jobs/7")).toBe("/p/mail/jobs");
  expect(pathIn("mail", "/jobs")).toBe("/p/mail/jobs");
  expect(pathIn("mail", "/p/finance")).toBe("/p/mail");
});
