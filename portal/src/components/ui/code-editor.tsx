import { lazy, Suspense } from "react";
import { chunk } from "@/lib/chunk";
import type { EditorProps } from "./code-editor-view";
import { Skeleton } from "./skeleton";

const View = lazy(() => chunk(() => import("./code-editor-view")));

/** An editor for code and JSON, loaded on first use. Goes into a Field like any other control. */
export function CodeEditor(props: EditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <View {...props} />
    </Suspense>
  );
}
