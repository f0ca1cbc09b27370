import type { ComponentType } from "react";
import type { RouteObject } from "react-router";
import { PageError } from "@/components/shell/page-error";
import { PageSkeleton } from "@/components/shell/page-skeleton";
import { Shell } from "@/components/shell/shell";
import { chunk } from "@/lib/chunk";

/** A page in its own chunk. */
function page(path: string, load: () => Promise<{ default: ComponentType }>): RouteObject {
  return { path, lazy: async () => ({ Component: (await chunk(load)).default }) };
}

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <PageError />,
    HydrateFallback: PageSkeleton,
    children: [
      {
        // What a page throws is shown in its place, inside the shell. Not on the pages themselves: the router leaves
        // out a route whose chunk did not come, and with it the element that would have said so.
        errorElement: <PageError />,
        children: [
          page("/", () => import("@/features/overview/overview-page")),
          page("/jobs", () => import("@/features/jobs/jobs-page")),
          page("/jobs/new", () => import("@/features/job-form/new-job-page")),
          page("/jobs/:job", () => import("@/features/job/job-page")),
          page("/jobs/:job/edit", () => import("@/features/job-form/edit-job-page")),
          page("/runs", () => import("@/features/runs/runs-page")),
          page("/runs/:run", () => import("@/features/run/run-page")),
          page("/dead-letters", () => import("@/features/dead-letters/dead-letters-page")),
          page("/alerts", () => import("@/features/alerts/alerts-page")),
          page("/alerts/:alert", () => import("@/features/alerts/alert-page")),
          page("/pings", () => import("@/features/pings/pings-page")),
          page("/pings/:ping", () => import("@/features/pings/ping-page")),
          page("/calendar", () => import("@/features/calendar/calendar-page")),
          page("/workers", () => import("@/features/workers/workers-page")),
          page("/functions", () => import("@/features/functions/functions-page")),
          page("/settings/*", () => import("@/features/settings/settings-page")),
          page("/join", () => import("@/features/sign-in/join-page")),
          page("*", () => import("@/features/not-found/not-found-page")),
        ],
      },
    ],
  },
];
