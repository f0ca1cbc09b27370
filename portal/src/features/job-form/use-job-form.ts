import { useCallback, useMemo, useState } from "react";
import type { JobBody } from "@/api/schema";
import { refused, stillWrong } from "./model/changed-fields";
import { type Draft, problems, readDraft, writeDraft } from "./model/draft";
import { equal } from "./model/merge";
import type { PolicyDraft } from "./model/policies";
import type { ScheduleDraft } from "./model/schedule";

export type View = "form" | "json";

export interface JobForm {
  draft: Draft;
  /** The text of the definition while it is written as JSON; null while it is a form. */
  json: string | null;
  error: unknown;
  setError: (error: unknown) => void;
  /** How often saving was refused: a new number is a new refusal. */
  refusals: number;
  setTop: (change: Partial<Draft>) => void;
  setTarget: (change: object) => void;
  setSchedule: (change: Partial<ScheduleDraft>) => void;
  setPolicies: (change: Partial<PolicyDraft>) => void;
  setJson: (json: string) => void;
  show: (view: View) => void;
  /** Begins anew with another definition; `unsaved` is what it is to be compared with. */
  reset: (definition: unknown, unsaved?: unknown) => void;
  /** What would be saved; null, and the errors set, where the form knows that it cannot be. */
  body: () => JobBody | null;
  dirty: boolean;
}

/** The state of a form for a job: the fields, or the whole of it as JSON. */
export function useJobForm(initial: unknown): JobForm {
  const [draft, setDraft] = useState(() => readDraft(initial));
  const [start, setStart] = useState(() => writeDraft(readDraft(initial)));
  const [json, setJson] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [refusals, setRefusals] = useState(0);
  const refuse = (why: unknown) => {
    setError(why);
    setRefusals((count) => count + 1);
  };

  const setTop = useCallback((change: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...change }));
    setError((old: unknown) => stillWrong(old, "top", change));
  }, []);
  const setTarget = useCallback((change: object) => {
    setDraft((old) => ({ ...old, [old.kind]: { ...old[old.kind], ...change } }));
    setError((old: unknown) => stillWrong(old, "target", change));
  }, []);
  const setSchedule = useCallback((change: Partial<ScheduleDraft>) => {
    setDraft((old) => ({ ...old, schedule: { ...old.schedule, ...change } }));
    setError((old: unknown) => stillWrong(old, "schedule", change));
  }, []);
  const setPolicies = useCallback((change: Partial<PolicyDraft>) => {
    setDraft((old) => ({ ...old, policies: { ...old.policies, ...change } }));
    setError((old: unknown) => stillWrong(old, "policies", change));
  }, []);

  const written = useMemo(() => (json === null ? writeDraft(draft) : parse(json)), [draft, json]);
  const body = () => {
    const wrong = json === null ? problems(draft) : [];
    if (written === null) refuse(refused([{ field: "JSON", message: "the text is not a JSON object" }]));
    else if (wrong.length > 0) refuse(refused(wrong));
    else return written;
    return null;
  };
  const show = (view: View) => {
    if (view === "json") return setJson(JSON.stringify(written, null, 2));
    if (written === null)
      return setError(refused([{ field: "JSON", message: "mend it first: it is not a JSON object" }]));
    setDraft(readDraft(written));
    setJson(null);
  };
  const reset = (definition: unknown, unsaved?: unknown) => {
    setDraft(readDraft(definition));
    setStart(writeDraft(readDraft(unsaved ?? definition)));
    setJson(null);
    setError(null);
  };
  const dirty = !equal(written, start);
  return {
    draft,
    json,
    error,
    setError: refuse,
    refusals,
    setTop,
    setTarget,
    setSchedule,
    setPolicies,
    setJson,
    show,
    reset,
    body,
    dirty,
  };
}

function parse(json: string): JobBody | null {
  try {
    const value = JSON.parse(json) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JobBody) : null;
  } catch {
    return null;
  }
}
