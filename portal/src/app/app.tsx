import { lazy, Suspense, useEffect } from "react";
import { PageSkeleton } from "@/components/shell/page-skeleton";
import { Confirmer } from "@/components/ui/confirmer";
import { ErrorState } from "@/components/ui/error-state";
import { Toaster } from "@/components/ui/toaster";
import { TooltipLayer } from "@/components/ui/tooltip-layer";
import { NoProject } from "@/features/sign-in/no-project";
import { SignedOut } from "@/features/sign-in/signed-out";
import { chunk } from "@/lib/chunk";
import { namePage } from "@/lib/page-title";
import { useSession } from "@/session/session";
import { useRestore } from "@/session/use-restore";
import { SignedIn } from "./signed-in";

const DevicePage = lazy(() => chunk(() => import("@/features/sign-in/device-page")));

export function App() {
  return (
    <>
      <Front />
      <Confirmer />
      <Toaster />
      <TooltipLayer />
    </>
  );
}

function Front() {
  const session = useSession();
  const { error, retry } = useRestore();
  useEffect(() => {
    if (session.state === "out") namePage("Sign in");
  }, [session.state]);
  if (session.state === "out") return <SignedOut ended={session.ended} step={session.step ?? null} />;
  if (session.state === "in") {
    if (location.pathname === "/device" && session.me.user) {
      return (
        <Suspense fallback={<PageSkeleton />}>
          <DevicePage username={session.me.user.username} />
        </Suspense>
      );
    }
    return session.place ? <SignedIn key={session.place.slug} place={session.place} /> : <NoProject />;
  }
  return error ? <ErrorState error={error} onRetry={retry} /> : <PageSkeleton />;
}
