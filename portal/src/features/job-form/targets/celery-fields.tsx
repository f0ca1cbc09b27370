import { useId } from "react";
import { CheckField } from "@/components/ui/check-field";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { PairsEditor } from "@/components/ui/pairs-editor";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { CeleryDraft } from "../model/target-celery";
import { NumberField } from "../number-field";
import { useFunctions } from "../queries";
import { textBinding } from "../text-binding";
import { ArgumentFields } from "./argument-fields";

const PREFIX = "celery:";

export function CeleryFields(props: DraftProps<CeleryDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  const names = useId();
  const tasks = (useFunctions(true).data?.items ?? []).filter((one) => one.kind === "celery");
  const chosen = tasks.find((one) => one.name === PREFIX + draft.task.trim());
  return (
    <div className="space-y-4">
      <TextField
        {...text("task", "target.task")}
        label="Task"
        hint={chosen?.description || "Its name in the Celery app of the workers (HORAE_CELERY_APP)."}
        mono
        list={names}
        placeholder="shop.tasks.send_report"
      />
      <datalist id={names}>
        {tasks.map((one) => (
          <option key={one.name} value={one.name.slice(PREFIX.length)} />
        ))}
      </datalist>
      <ArgumentFields
        key={`${chosen?.name} ${draft.json === null}`}
        label="Keyword arguments"
        path="target.kwargs"
        chosen={chosen}
        draft={draft}
        onDraft={onDraft}
        errors={errors}
      />
      <TextField
        {...text("queue", "target.queue")}
        label="Broker queue"
        optional
        hint="On your broker. The worker that sends the task is chosen by the job's queue, below."
        mono
        placeholder="as the app routes the task"
      />
      <Fold
        title="Positional arguments, priority, headers"
        needed={["args", "priority", "headers", "track"].some((name) => errors.under(`target.${name}`) !== undefined)}
      >
        <Field label="Positional arguments" optional hint="A JSON list." error={errors.under("target.args")}>
          <CodeEditor
            language="json"
            aria-label="Positional arguments"
            value={draft.args}
            onValue={(args) => onDraft({ args })}
          />
        </Field>
        <NumberField
          {...text("priority", "target.priority")}
          label="Broker priority"
          hint="0 to 9; on RabbitMQ 9 is first, on Redis 0"
          optional
        />
        <Group label="Headers" optional error={errors.under("target.headers")}>
          <PairsEditor noun="header" rows={draft.headers} onRows={(headers) => onDraft({ headers })} />
        </Group>
        <CheckField
          label="Follow the task to its end"
          hint="Otherwise the run succeeds as soon as the broker has the message."
          checked={draft.track}
          onChecked={(track) => onDraft({ track })}
        />
      </Fold>
    </div>
  );
}
