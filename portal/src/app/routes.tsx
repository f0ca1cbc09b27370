import type { ComponentType } from "react";
import type { RouteObject } from "react-router";
import { PageError } from "@/components/shell/page-error";
import { PageSkeleton } from "@/components/shell/page-skeleton";
import { Shell } from "@/components/shell/shell";

/** A page in a chunk of its own; what it throws is shown in its place. */
function page(path: string, load: () => Promise<{ default: ComponentType }>): RouteObject {
  return {
    path,
    lazy: async () => ({ Component: (await load()).default }),
    errorElement: <PageError />,
  };
}

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <PageError />,
    HydrateFallback: PageSkeleton,
    children: [
      page("/", () => import("@/features/overview/overview-page")),
      page("/jobs", () => import("@/features/jobs/jobs-page")),
      page("/jobs/new", () => import("@/features/job-form/new-job-page")),
      page("/jobs/:job", () => import("@/features/job/job-page")),
      page("/jobs/:job/edit", () => import("@/features/job-form/edit-job-page")),
      page("/runs", () => import("@/features/runs/runs-page")),
      page("/runs/:run", () => import("@/features/run/run-page")),
      page("/dead-letters", () => import("@/features/dead-letters/dead-letters-page")),
      page("/calendar", () => import("@/features/calendar/calendar-page")),
      page("/workers", () => import("@/features/workers/workers-page")),
      page("/functions", () => import("@/features/functions/functions-page")),
      page("/settings/*", () => import("@/features/settings/settings-page")),
      page("/join", () => import("@/features/sign-in/join-page")),
      page("*", () => import("@/features/not-found/not-found-page")),
    ],
  },
];
