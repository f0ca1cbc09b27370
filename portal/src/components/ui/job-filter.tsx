import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useDeferredValue, useEffect, useId, useState } from "react";
import { call } from "@/api/client";
import { Badge } from "./badge";
import { Button } from "./button";
import { Input } from "./input";

interface JobFilterProps {
  /** A job's id or name; empty for all. */
  value: string;
  onValue: (job: string | null) => void;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Chooses one job by typing a part of its name. */
export function JobFilter({ value, onValue }: JobFilterProps) {
  return value ? <Chosen job={value} onValue={onValue} /> : <Choose onValue={onValue} />;
}

function Chosen({ job, onValue }: { job: string; onValue: JobFilterProps["onValue"] }) {
  const named = useQuery({
    queryKey: ["jobs", "one", job],
    queryFn: ({ signal }) => call("GET /jobs/{id}", { path: { id: job }, signal }),
    enabled: ID.test(job),
    retry: false,
  });
  return (
    <Badge tone="accent" className="h-8 max-w-64 gap-1 pl-2">
      <span className="truncate">job: {named.data?.name ?? job}</span>
      <Button variant="ghost" size="icon-sm" aria-label="Without job" onClick={() => onValue(null)}>
        <X />
      </Button>
    </Badge>
  );
}

function Choose({ onValue }: Pick<JobFilterProps, "onValue">) {
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState(false);
  const list = useId();
  const q = useDeferredValue(text.trim());
  const jobs = useQuery({
    queryKey: ["jobs", "list", { q, limit: 20 }],
    queryFn: ({ signal }) => call("GET /jobs", { query: { q, limit: 20 }, signal }),
    enabled: q !== "" && q.length <= 200,
    placeholderData: keepPreviousData,
  });
  const found = q === "" ? [] : (jobs.data?.items ?? []);
  const ready = q === text.trim() && jobs.isSuccess && !jobs.isPlaceholderData;
  // Enter may come before the answer: then the answer is what it was for.
  useEffect(() => {
    if (!wanted || !ready) return;
    setWanted(false);
    const job = found.find((one) => one.name === q) ?? (found.length === 1 ? found[0] : undefined);
    if (job) onValue(job.name);
  }, [wanted, ready, found, q, onValue]);
  const choose = (name: string) => {
    const job = found.find((one) => one.name === name);
    if (job) onValue(job.name);
    return job !== undefined;
  };
  return (
    <>
      <Input
        aria-label="Job"
        placeholder="Any job"
        list={list}
        value={text}
        autoComplete="off"
        onChange={(event) => {
          // One that is taken from the list comes whole, without a key being pressed.
          const picked = !("inputType" in event.nativeEvent) || event.nativeEvent.inputType === "insertReplacementText";
          if (!picked || !choose(event.target.value)) setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && q !== "") setWanted(true);
        }}
        className="w-36"
      />
      <datalist id={list}>
        {found.map((job) => (
          <option key={job.id} value={job.name} />
        ))}
      </datalist>
    </>
  );
}
