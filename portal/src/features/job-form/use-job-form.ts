import { useCallback, useMemo, useState } from "react";
import type { JobBody } from "@/api/schema";
import type { AlertDraft } from "./model/alert";
import { refused, type Section, stillWrong } from "./model/changed-fields";
import { type Draft, mistakes, mistakesIn, problems, readDraft, writeDraft } from "./model/draft";
import { equal } from "./model/merge";
import type { PolicyDraft } from "./model/policies";
import type { ScheduleDraft } from "./model/schedule";

export type View = "form" | "json";

const NO_OBJECT = { field: "JSON", message: "is not a valid JSON object" };

export interface JobForm {
  draft: Draft;
  /** The text of the definition while it is written as JSON; null while it is a form. */
  json: string | null;
  /** Why it was not saved. */
  error: unknown;
  /** Problems of fields that the user has left, before anything is saved. */
  early: unknown;
  /** To be called when a field is left. */
  check: () => void;
  setError: (error: unknown) => void;
  /** How often saving was refused: a new number is a new refusal. */
  refusals: number;
  setTop: (change: Partial<Draft>) => void;
  setTarget: (change: object) => void;
  setSchedule: (change: Partial<ScheduleDraft>) => void;
  setPolicies: (change: Partial<PolicyDraft>) => void;
  setAlert: (change: Partial<AlertDraft>) => void;
  setJson: (json: string) => void;
  show: (view: View) => void;
  /** Resets the form to another definition; `unsaved` is what it is compared with. */
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
  const [early, setEarly] = useState<unknown>(null);
  const [refusals, setRefusals] = useState(0);
  const refuse = (why: unknown) => {
    setError(why);
    setEarly(null);
    setRefusals((count) => count + 1);
  };

  const forget = useCallback((...changed: [Section, object]) => {
    setError((old: unknown) => stillWrong(old, ...changed));
    setEarly((old: unknown) => stillWrong(old, ...changed));
  }, []);
  const setTop = useCallback(
    (change: Partial<Draft>) => {
      setDraft((old) => ({ ...old, ...change }));
      forget("top", change);
    },
    [forget],
  );
  const setTarget = useCallback(
    (change: object) => {
      setDraft((old) => ({ ...old, [old.kind]: { ...old[old.kind], ...change } }));
      forget("target", change);
    },
    [forget],
  );
  const setSchedule = useCallback(
    (change: Partial<ScheduleDraft>) => {
      setDraft((old) => ({ ...old, schedule: { ...old.schedule, ...change } }));
      forget("schedule", change);
    },
    [forget],
  );
  const setPolicies = useCallback(
    (change: Partial<PolicyDraft>) => {
      setDraft((old) => ({ ...old, policies: { ...old.policies, ...change } }));
      forget("policies", change);
    },
    [forget],
  );

  const setAlert = useCallback(
    (change: Partial<AlertDraft>) => {
      setDraft((old) => ({ ...old, alert: { ...old.alert, ...change } }));
      forget("alert", change);
    },
    [forget],
  );

  const written = useMemo(() => (json === null ? writeDraft(draft) : parse(json)), [draft, json]);
  const check = () => {
    const found = json === null ? mistakes(draft) : written === null ? [NO_OBJECT] : mistakesIn(written);
    setEarly(found.length > 0 ? refused(found) : null);
  };
  const body = () => {
    const wrong = json === null ? problems(draft) : [];
    if (written === null) refuse(refused([NO_OBJECT]));
    else if (wrong.length > 0) refuse(refused(wrong));
    else return written;
    return null;
  };
  const write = (text: string) => {
    setJson(text);
    setEarly(null);
  };
  const show = (view: View) => {
    if (view === "json") return setJson(JSON.stringify(written, null, 2));
    if (written === null) return setError(refused([NO_OBJECT]));
    setDraft(readDraft(written));
    setError(null);
    setJson(null);
  };
  const reset = (definition: unknown, unsaved?: unknown) => {
    setDraft(readDraft(definition));
    setStart(writeDraft(readDraft(unsaved ?? definition)));
    setJson(null);
    setError(null);
    setEarly(null);
  };
  const dirty = !equal(written, start);
  return {
    draft,
    json,
    error,
    early,
    check,
    setError: refuse,
    refusals,
    setTop,
    setTarget,
    setSchedule,
    setPolicies,
    setAlert,
    setJson: write,
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
