import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { createBrowserRouter, RouterProvider } from "react-router";
import type { PlaceView } from "@/api/schema";
import { goLive } from "@/live/live";
import { basename, projectIn } from "@/session/project-path";
import { currentSession } from "@/session/session";
import { makeQueryClient } from "./queries";
import { routes } from "./routes";

/** Everything below belongs to one project: switching remounts it, with nothing of this one in memory. */
export function SignedIn({ place }: { place: PlaceView }) {
  const [client] = useState(makeQueryClient);
  const [router] = useState(() => makeRouter(place.slug));
  useEffect(() => {
    const stop = goLive(client);
    return () => {
      stop();
      client.clear();
    };
  }, [client]);
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

function makeRouter(slug: string) {
  const session = currentSession();
  const several = session.state === "in" && session.places.length > 1;
  const given = projectIn(location.pathname);
  const base = given !== null || several ? basename(slug) : "/";
  const rest = location.pathname.replace(/^\/p\/[^/]+/, "");
  const path = `${base === "/" ? "" : base}${rest}` || "/";
  if (path !== location.pathname) {
    const lost = given !== null && given !== slug; // a project one has no part in: its filters mean nothing here
    history.replaceState(null, "", lost ? `${base}/` : `${path}${location.search}`);
  }
  return createBrowserRouter(routes, { basename: base });
}
