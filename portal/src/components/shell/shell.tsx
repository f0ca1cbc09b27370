import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { Outlet, useLocation, useNavigate, useNavigation } from "react-router";
import { navigation } from "@/app/navigation";
import { chunk } from "@/lib/chunk";
import { listen, useHotkeys } from "@/lib/hotkeys";
import { useCan } from "@/session/use-can";
import { useAttentionSigns } from "./attention-signs";
import { OfflineBanner } from "./offline-banner";
import { ShortcutHelp } from "./shortcut-help";
import { Sidebar } from "./sidebar";
import { TopBar } from "./top-bar";
import { TypedAhead } from "./typed-ahead";

const Palette = lazy(() => chunk(() => import("./palette")));

export function Shell() {
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const typed = useRef("");
  const keep = useCallback((text: string) => {
    typed.current = text;
  }, []);
  const close = () => {
    typed.current = "";
    setPalette(false);
  };
  const navigate = useNavigate();
  const can = useCan();
  const waiting = useAttentionSigns();
  useEffect(listen, []);
  useHotkeys([
    ...navigation.map((to) => ({
      keys: `g ${to.key}`,
      label: to.label,
      group: "Go to",
      run: () => void navigate(to.path),
    })),
    { keys: "mod+k", label: "Search and commands", group: "Everywhere", run: () => setPalette(true) },
    { keys: "/", label: "Search on this page", group: "Everywhere", run: () => searchHere(() => setPalette(true)) },
    { keys: "?", label: "All shortcuts", group: "Everywhere", run: () => setHelp(true) },
    ...(can("jobs:write")
      ? [{ keys: "c", label: "New job", group: "Everywhere", run: () => void navigate("/jobs/new") }]
      : []),
  ]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Sidebar />
      <div className="flex min-w-0 flex-col">
        <TopBar waiting={waiting} onSearch={() => setPalette(true)} onHelp={() => setHelp(true)} />
        <Progress />
        <OfflineBanner />
        <main id="content" tabIndex={-1} className="mx-auto w-full max-w-7xl flex-1 px-4 py-5 outline-none sm:px-6">
          <ScrollToTop />
          <Outlet />
        </main>
      </div>
      {palette ? (
        <Suspense fallback={<TypedAhead onText={keep} />}>
          <Palette begin={() => typed.current} onClose={close} />
        </Suspense>
      ) : null}
      {help ? <ShortcutHelp onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

function searchHere(otherwise: () => void): void {
  const field = document.querySelector<HTMLInputElement>("[data-page-search]");
  if (field) field.focus();
  else otherwise();
}

/** Shown while a page is loading. */
function Progress() {
  const busy = useNavigation().state === "loading";
  return (
    <div aria-hidden className="sticky top-12 z-30 h-0">
      {busy ? <div className="h-0.5 w-full animate-pulse bg-accent" /> : null}
    </div>
  );
}

function ScrollToTop() {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top
  useEffect(() => {
    window.scrollTo(0, 0); // not returned: it gives a promise in newer browsers
  }, [pathname]);
  return null;
}
