import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import type { FunctionView } from "@/api/schema";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Sheet } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { KeyValues } from "@/components/ui/key-values";
import { SkeletonLines } from "@/components/ui/skeleton";
import { Table, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { seconds } from "@/lib/durations";
import { useCan } from "@/session/use-can";
import { EditFunction } from "./edit-function";
import { ActiveSwitch, CreateJob } from "./function-columns";
import { parametersOf, takesMore } from "./parameters";
import { useForgetFunction, useFunction, useOfferers } from "./queries";

/** Details of one function, next to the list. */
export function FunctionSheet({ name, onClose }: { name: string; onClose: () => void }) {
  const found = useFunction(name);
  const can = useCan();
  const forget = useForgetFunction();
  const [editing, setEditing] = useState(false);
  const one = found.data;
  const remove = async () => {
    if (one && (await forget(one))) onClose();
  };
  return (
    <Sheet
      open={name !== ""}
      onOpenChange={onClose}
      title={<span className="font-mono text-sm break-all">{name}</span>}
      description={one && one.display_name !== one.name ? one.display_name : undefined}
      footer={
        one ? (
          <>
            {can("functions:write") ? (
              <>
                {one.is_system ? null : (
                  <Button onClick={() => void remove()}>
                    <Trash2 /> Forget
                  </Button>
                )}
                <Button onClick={() => setEditing(true)}>
                  <Pencil /> Edit
                </Button>
              </>
            ) : null}
            <CreateJob one={one} />
          </>
        ) : undefined
      }
    >
      {one ? <Details one={one} /> : found.error ? <ErrorState error={found.error} /> : <SkeletonLines lines={6} />}
      {one && editing ? <EditFunction one={one} onClose={() => setEditing(false)} /> : null}
    </Sheet>
  );
}

function Details({ one }: { one: FunctionView }) {
  const offerers = useOfferers()(one.name);
  return (
    <div className="space-y-5">
      {one.description ? <p className="text-sm whitespace-pre-line text-soft">{one.description}</p> : null}
      <section>
        <h3 className="mb-2 text-sm font-semibold">Parameters</h3>
        <Parameters one={one} />
      </section>
      <KeyValues
        items={[
          ["Active", <ActiveSwitch key="active" one={one} />],
          ["Offered by", <Offerers key="offered" names={offerers} />],
          [
            "Code",
            <code key="code" className="font-mono text-xs break-all">
              {one.handler}
            </code>,
          ],
          [
            "Runs",
            {
              async: "in the worker's event loop",
              process: "in its own process",
              thread: "in a thread",
              celery: "by Celery's workers",
            }[one.kind] ?? one.kind,
          ],
          ["Registered by path", one.handler_path],
          [
            "Import",
            one.import_error ? (
              <span key="import" className="break-words text-failed-text">
                {one.import_error}
              </span>
            ) : one.handler_path && one.imported_at === null ? (
              "no worker has tried yet"
            ) : null,
          ],
          ["Queue", one.queue],
          ["Timeout", one.default_timeout === null ? null : seconds(one.default_timeout)],
          ["Built in", one.is_system ? "yes" : null],
          ["First seen", <Time key="first" at={one.first_seen_at} />],
          ["Last seen", <Time key="last" at={one.last_seen_at} />],
        ]}
      />
      <div className="flex items-center gap-1 text-xs text-muted">
        JSON Schema of the arguments
        <CopyButton text={JSON.stringify(one.parameters, null, 2)} label="Copy JSON Schema" />
      </div>
    </div>
  );
}

function Offerers({ names }: { names: { id: string; name: string }[] }) {
  if (names.length === 0) return <span className="text-muted">no worker right now; runs would wait</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {names.map(({ id, name }) => (
        <Link key={id} to={`/workers?q=${encodeURIComponent(name)}`} className="rounded text-accent hover:underline">
          {name}
        </Link>
      ))}
    </span>
  );
}

function Parameters({ one }: { one: FunctionView }) {
  const parameters = parametersOf(one.parameters);
  if (parameters.length === 0) {
    return (
      <p className="text-sm text-muted">{takesMore(one.parameters) ? "Any keyword arguments." : "No parameters."}</p>
    );
  }
  return (
    <div className="rounded-md border border-line">
      <Table>
        <caption className="sr-only">Parameters of {one.name}</caption>
        <thead>
          <tr>
            <Th>Name</Th>
            <Th>Type</Th>
            <Th>Default</Th>
          </tr>
        </thead>
        <tbody>
          {parameters.map((parameter) => (
            <Tr key={parameter.name}>
              <Td className="align-top">
                <span className="font-mono text-xs break-all">{parameter.name}</span>
                {parameter.description ? (
                  <span className="block text-xs text-muted">{parameter.description}</span>
                ) : null}
              </Td>
              <Td className="align-top text-xs break-words">{parameter.type}</Td>
              <Td className="align-top text-xs">
                {parameter.required ? (
                  <Badge tone="accent">required</Badge>
                ) : (
                  <code className="font-mono break-all text-soft">{parameter.fallback ?? "–"}</code>
                )}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {takesMore(one.parameters) ? (
        <p className="px-3 py-2 text-xs text-muted">Plus any other keyword arguments.</p>
      ) : null}
    </div>
  );
}
