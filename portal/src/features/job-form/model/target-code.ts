import type { ArtifactTarget, ContainerTarget, PythonTarget, ScriptTarget } from "@/api/schema";
import type { ArgumentsDraft } from "./arguments";
import { filled, fromPairs, type Json, list, number, type Pair, pairs, record, size, text, texts } from "./read";

export interface LimitsDraft {
  memory: string;
  cpu: string;
  files: string;
  processes: string;
}

export interface ScriptDraft {
  interpreter: string;
  from: "source" | "file";
  source: string;
  file: string;
  args: string[];
  env: Pair[];
  cwd: string;
  limits: LimitsDraft;
  sandbox: boolean;
  network: boolean;
  readOnly: boolean;
}

export interface PythonDraft extends ArgumentsDraft {
  function: string;
  locked: string[];
}

export interface MountDraft {
  source: string;
  target: string;
  readOnly: boolean;
}

export interface ContainerDraft {
  image: string;
  entrypoint: string[];
  command: string[];
  env: Pair[];
  cwd: string;
  user: string;
  mounts: MountDraft[];
  memory: string;
  cpus: string;
  processes: string;
  network: boolean;
  pull: string;
  reuse: boolean;
}

export interface ArtifactDraft {
  uri: string;
  digest: string;
  runs: "function" | "command";
  function: string;
  command: string[];
  arguments: string;
  locked: string[];
  env: Pair[];
  install: boolean;
  image: string;
  limits: LimitsDraft;
}

function readLimits(value: unknown): LimitsDraft {
  const given = record(value);
  return {
    memory: size(given.memory),
    cpu: text(given.cpu),
    files: text(given.files),
    processes: text(given.processes),
  };
}

function writeLimits(draft: LimitsDraft): Json {
  return filled({
    memory: number(draft.memory),
    cpu: number(draft.cpu),
    files: number(draft.files),
    processes: number(draft.processes),
  });
}

export function readScript(given: Json): ScriptDraft {
  const sandbox = record(given.sandbox);
  return {
    interpreter: text(given.interpreter) || "bash",
    from: text(given.file) && !text(given.source) ? "file" : "source",
    source: text(given.source),
    file: text(given.file),
    args: texts(given.args),
    env: pairs(given.env),
    cwd: text(given.cwd),
    limits: readLimits(given.limits),
    sandbox: typeof given.sandbox === "object" && given.sandbox !== null,
    network: sandbox.network !== false,
    readOnly: sandbox.read_only === true,
  };
}

export function writeScript(draft: ScriptDraft): ScriptTarget {
  const sandbox = filled({ network: draft.network ? undefined : false, read_only: draft.readOnly || undefined });
  return {
    kind: "script",
    interpreter: draft.interpreter,
    ...(draft.from === "file" ? { file: draft.file } : { source: draft.source }),
    ...filled({ args: draft.args, env: fromPairs(draft.env), cwd: draft.cwd, limits: writeLimits(draft.limits) }),
    ...(draft.sandbox ? { sandbox } : {}),
  } as ScriptTarget;
}

/** What the form does not show must not get lost by it: arguments stay locked for as long as they are there. */
export function stillThere(locked: string[], args: Json): string[] {
  return locked.filter((name) => name in args);
}

export function readPython(given: Json): PythonDraft {
  return {
    function: text(given.function),
    arguments: record(given.arguments),
    json: null,
    locked: texts(given.locked),
  };
}

export function writePython(draft: PythonDraft): PythonTarget {
  const given = draft.json === null ? draft.arguments : record(parsed(draft.json));
  return {
    kind: "python",
    function: draft.function,
    ...filled({ arguments: given, locked: stillThere(draft.locked, given) }),
  };
}

export function readContainer(given: Json): ContainerDraft {
  const limits = record(given.limits);
  return {
    image: text(given.image),
    entrypoint: texts(given.entrypoint),
    command: texts(given.command),
    env: pairs(given.env),
    cwd: text(given.cwd),
    user: text(given.user),
    mounts: list(given.mounts)
      .map(record)
      .map((mount) => ({
        source: text(mount.source),
        target: text(mount.target),
        readOnly: mount.read_only !== false,
      })),
    memory: size(limits.memory),
    cpus: text(limits.cpus),
    processes: text(limits.processes),
    network: given.network !== false,
    pull: text(given.pull) || "missing",
    reuse: given.reuse === true,
  };
}

export function writeContainer(draft: ContainerDraft): ContainerTarget {
  return {
    kind: "container",
    image: draft.image.trim(),
    ...filled({
      entrypoint: draft.entrypoint,
      command: draft.command,
      env: fromPairs(draft.env),
      cwd: draft.cwd,
      user: draft.user,
      mounts: draft.mounts.map(({ source, target, readOnly }) => ({
        source,
        target,
        ...(readOnly ? {} : { read_only: false }),
      })),
      limits: filled({
        memory: number(draft.memory),
        cpus: number(draft.cpus),
        processes: number(draft.processes),
      }),
      network: draft.network ? undefined : false,
      pull: draft.pull === "missing" ? undefined : draft.pull,
      reuse: draft.reuse || undefined,
    }),
  } as unknown as ContainerTarget;
}

export function readArtifact(given: Json): ArtifactDraft {
  const args = record(given.arguments);
  return {
    uri: text(given.uri),
    digest: text(given.digest),
    runs: Array.isArray(given.entrypoint) ? "command" : "function",
    function: Array.isArray(given.entrypoint) ? "" : text(given.entrypoint),
    command: texts(given.entrypoint),
    arguments: Object.keys(args).length > 0 ? JSON.stringify(args, null, 2) : "",
    locked: texts(given.locked),
    env: pairs(given.env),
    install: given.install === true,
    image: text(given.image),
    limits: readLimits(given.limits),
  };
}

export function writeArtifact(draft: ArtifactDraft): ArtifactTarget {
  const args = draft.runs === "function" ? record(parsed(draft.arguments)) : undefined;
  return {
    kind: "artifact",
    uri: draft.uri.trim(),
    digest: draft.digest.trim(),
    entrypoint: draft.runs === "command" ? draft.command : draft.function.trim(),
    ...filled({
      arguments: args,
      locked: stillThere(draft.locked, args ?? {}),
      env: fromPairs(draft.env),
      install: draft.install || undefined,
      image: draft.image.trim(),
      limits: writeLimits(draft.limits),
    }),
  } as unknown as ArtifactTarget;
}

/** JSON, or undefined if it is invalid: `problems` has reported that by then. */
export function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
