import type { JobBody, JobView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DiffView } from "@/components/ui/diff-view";
import { toYaml } from "@/lib/yaml";
import { definitionOf, normal } from "./model/draft";
import { merged } from "./model/merge";
import type { Json } from "./model/read";

interface ConflictProps {
  /** What the edit began with, what the server has now, and what one wants to save. */
  base: JobView;
  theirs: JobView;
  mine: JobBody;
  busy: boolean;
  onMerge: (definition: unknown) => void;
  onOverwrite: () => void;
  onDiscard: () => void;
  onClose: () => void;
}

/** Someone else saved in the meantime: what they changed, and how to continue. */
export function Conflict({ base, theirs, mine, busy, onMerge, onOverwrite, onDiscard, onClose }: ConflictProps) {
  const before = normal(definitionOf(base));
  const now = normal(definitionOf(theirs));
  const both = merged(json(before), json(mine), json(now));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Someone else saved this job in the meantime"
      description={`You started from version ${base.version}; the current one is version ${theirs.version}. Your edits are still here.`}
      className="max-w-3xl"
      footer={
        <>
          <Button onClick={onDiscard}>Discard mine</Button>
          <Button variant="danger" busy={busy} onClick={onOverwrite}>
            Overwrite with mine
          </Button>
          <Button variant="primary" onClick={() => onMerge(both.value)}>
            Merge
          </Button>
        </>
      }
    >
      <h3 className="mb-2 text-sm font-semibold">Their changes</h3>
      <DiffView before={toYaml(before)} after={toYaml(now)} />
      <div className="mt-4 text-sm">
        {both.conflicts.length > 0 ? (
          <p>
            You both changed <Names names={both.conflicts} />. Merging keeps your values there.
          </p>
        ) : (
          <p className="text-soft">
            Your changes do not overlap. Merging keeps both; you can review the result before saving.
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Names({ names }: { names: string[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1 align-middle">
      {names.map((name) => (
        <Badge key={name} tone="paused" className="font-mono">
          {name}
        </Badge>
      ))}
    </span>
  );
}

const json = (body: JobBody): Json => JSON.parse(JSON.stringify(body)) as Json;
