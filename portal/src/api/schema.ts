// Generated from the OpenAPI document by `npm run types`. Do not edit.

export interface AckBody {
  note?: string | null;
}

/** When another job's run ends; not before `start_at`, after `end_at` or in a blackout. */
export interface AfterSchedule {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  after: Upstream;
}

/** When another job's run ends; not before `start_at`, after `end_at` or in a blackout. */
export interface AfterScheduleInput {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number | string;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  after: Upstream;
}

/** The one thing to do, and the page of the portal on which to begin. */
export interface AlertActionView {
  text: string;
  path: string;
}

/** Of open alerts. */
export interface AlertNumbers {
  open: number;
  critical: number;
  warning: number;
  info: number;
  acknowledged: number;
  silenced: number;
}

/** Thresholds of a project; what is left out stays as it is. */
export interface AlertSettingsPatch {
  failing?: number | null;
  late?: number | string | null;
  queued?: number | string | null;
  failure_rate?: number | null;
  dead_letters?: number | null;
}

/**
 * The thresholds that a project sets itself: durations in seconds, the failure rate in per cent. null: as the
 * installation says; 0: the rule is off.
 */
export interface AlertSettingsView {
  failing: number | null;
  late: number | null;
  queued: number | null;
  failure_rate: number | null;
  dead_letters: number | null;
}

/** When a job is in trouble. 0 turns off a rule that is on by default. */
export interface AlertSpec {
  failing?: number | null;
  late?: number | null;
  longer_than?: number | null;
  shorter_than?: number | null;
  done_by?: string | null;
  no_success_for?: number | null;
  missed?: boolean;
  failure_budget?: FailureBudget | null;
}

/** When a job is in trouble. 0 turns off a rule that is on by default. */
export interface AlertSpecInput {
  failing?: number | null;
  late?: number | string | null;
  longer_than?: number | string | null;
  shorter_than?: number | string | null;
  done_by?: string | null;
  no_success_for?: number | string | null;
  missed?: boolean;
  failure_budget?: FailureBudgetInput | null;
}

/** What it is about; the id of a queue is its name. */
export interface AlertSubjectView {
  kind: string;
  id: string;
  name: string;
}

/**
 * `project` is the slug, null if the alert concerns the whole installation. `last_seen_at` is when the rule was
 * last found broken, to the minute. While `silenced_until` lies ahead, no notices are sent about it.
 */
export interface AlertView {
  id: string;
  project: string | null;
  rule: string;
  severity: "critical" | "warning" | "info";
  subject: AlertSubjectView;
  state: "open" | "cleared";
  title: string;
  why: string;
  action: AlertActionView;
  since: string;
  last_seen_at: string;
  cleared_at: string | null;
  acknowledged_by: string | null;
  acknowledged_at: string | null;
  silenced_until: string | null;
  silenced_by: string | null;
  note: string | null;
}

/** Any service that Apprise supports, by its URL; needs the extra `apprise`. */
export interface AppriseTarget {
  kind: "apprise";
  url?: string | null;
}

export interface ApprovalBody {
  approve: boolean;
}

/** Fetches an archive (zip, tar or wheel) and runs a function or a command from it, like a script. */
export interface ArtifactTarget {
  kind: "artifact";
  uri: string;
  digest: string;
  entrypoint: string | string[];
  arguments?: Record<string, unknown>;
  locked?: string[];
  env?: Record<string, unknown>;
  install?: boolean;
  image?: string | null;
  limits?: Limits;
}

/** Fetches an archive (zip, tar or wheel) and runs a function or a command from it, like a script. */
export interface ArtifactTargetInput {
  kind: "artifact";
  uri: string;
  digest: string;
  entrypoint: string | string[];
  arguments?: Record<string, unknown>;
  locked?: string[];
  env?: Record<string, unknown>;
  install?: boolean;
  image?: string | null;
  limits?: LimitsInput;
}

/** Once. */
export interface AtSchedule {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  at: string;
}

/** Once. */
export interface AtScheduleInput {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number | string;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  at: string;
}

/**
 * One attempt of a run by one worker. `outcome` is null while it is in progress. The result of a retried attempt is
 * cut to 4,096 characters.
 */
export interface AttemptView {
  n: number;
  worker_id: string | null;
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
  outcome: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null;
  error: string | null;
  exit_code: number | null;
  response_code: number | null;
  result: unknown;
  traceback: string | null;
}

/** One recorded action; `project_id` is null if it concerns the whole installation. */
export interface AuditView {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: SubjectView;
  changes: ChangeView[];
  address: string | null;
  request_id: string | null;
  project_id: string | null;
}

/** The range to backfill, both ends inclusive, and the maximum number of concurrent runs. */
export interface BackfillBody {
  start: string;
  end: string;
  parallelism?: number;
  again?: boolean;
  dry_run?: boolean;
}

/** What a backfill would do. */
export interface BackfillPlanView {
  total: number;
  first: string | null;
  last: string | null;
  existing: string | null;
}

/** What a badge is about: a job or a ping, by id or name. Without a label it shows the name. */
export interface BadgeBody {
  kind: "job" | "ping";
  subject: string;
  label?: string | null;
}

/** `url` is null if the token cannot be decrypted. */
export interface BadgeView {
  id: string;
  kind: string;
  subject_id: string;
  label: string | null;
  url: string | null;
  /** for a README */
  markdown: string | null;
  created_by: string;
  created_at: string;
}

export interface BasicAuth {
  username: string;
  password: string;
}

/** Many runs of one job. */
export interface BatchBody {
  runs: TriggerBody[];
}

/** One time range. */
export interface BlackoutRange {
  start: string;
  end: string;
}

/** A worker, and the runs of this project that it is executing. */
export interface BusyWorkerView {
  id: string;
  name: string;
  hostname: string;
  platform: string;
  pid: number;
  version: string;
  queues: string[];
  other_queues: number;
  projects: string[];
  other_projects: number;
  offers: string[];
  slots: number;
  busy: number;
  status: WorkerStatus;
  runs_done: number;
  started_at: string;
  heartbeat_at: string;
  drain_requested_by: string | null;
  trouble: TroubleView | null;
  isolation: IsolationView | null;
  engine: string | null;
  current_runs: string[];
}

/** An occurrence with its job, or with `by`, a time span and the number of occurrences in it. */
export interface CalendarEntryView {
  at: string;
  job_id: string | null;
  job_name: string | null;
  count: number | null;
}

/**
 * The list is complete up to `complete_until`; with `by`, nothing after it is counted. If more than 5,000 jobs
 * match, only those with the earliest next runs are read: the list stops where others could begin, and is
 * `truncated`.
 */
export interface CalendarView {
  start: string;
  end: string;
  complete_until: string;
  /** whether more than 5,000 jobs match; use a filter to narrow them down */
  truncated: boolean;
  items: CalendarEntryView[];
}

/** The outcome of the work, its progress, or both. */
export interface CallbackBody {
  status?: "succeeded" | "failed" | null;
  result?: unknown;
  error?: string | null;
  permanent?: boolean;
  progress?: CallbackProgress | null;
}

export interface CallbackProgress {
  fraction: number;
  note?: string | null;
}

export interface CallbackView {
  run_id: string;
}

/** Calls a task of the Celery app that workers are configured with, and follows it to its end. */
export interface CeleryTarget {
  kind: "celery";
  task: string;
  queue?: string | null;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  locked?: string[];
  priority?: number | null;
  headers?: Record<string, string>;
  track?: boolean;
}

/** Calls a task of the Celery app that workers are configured with, and follows it to its end. */
export interface CeleryTargetInput {
  kind: "celery";
  task: string;
  queue?: string | null;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  locked?: string[];
  priority?: number | null;
  headers?: Record<string, string>;
  track?: boolean;
}

/** `challenge` comes from the 401 that asked for a second factor. */
export interface ChallengeBody {
  challenge: string;
}

export interface ChangeView {
  path: string;
  old: unknown;
  new: unknown;
}

/** Includes what they left behind, if they are no longer an owner. */
export interface ChangedMemberView {
  keys: MadeKeyView[];
  invitations_withdrawn: number;
  user_id: string;
  username: string;
  is_active: boolean;
  role: "viewer" | "operator" | "editor" | "owner";
  created_by: string;
  created_at: string;
}

/** Includes what they left behind, if they were deactivated or are no longer admin. */
export interface ChangedUserView {
  keys: MadeKeyView[];
  invitations_withdrawn: number;
  id: string;
  username: string;
  is_admin: boolean;
  is_active: boolean;
  created_by: string;
  created_at: string;
  updated_at: string;
  password_changed_at: string;
  last_login_at: string | null;
  has_password: boolean;
  second_factor: boolean;
}

/**
 * A channel as clients send it. Secret fields of the target (`url`, `key`, `password`, `routing_key`, `api_key`)
 * are write-only, unless they name a secret of the project: `{{ secrets.NAME }}`.
 */
export interface ChannelBody {
  events?: ("failure" | "dead_letter" | "recovery" | "alert" | "budget")[];
  severity?: "info" | "warning" | "critical";
  tags?: string[];
  jobs?: string[];
  named_only?: boolean;
  quiet?: QuietHours | null;
  digest?: number | string;
  repeat_after?: number | string;
  per_hour?: number;
  target: WebhookTarget | SlackTarget | EmailTarget | PagerDutyTarget | OpsgenieTarget | AppriseTarget;
  name: string;
  enabled?: boolean;
}

/**
 * Any fields of a channel (JSON merge patch); null restores a default. Secret fields that are not given stay as
 * they are. For the description only: an edit is checked as the channel that comes out of it.
 */
export interface ChannelPatch {

}

/**
 * A channel. `target` lacks its secret fields; `address` shows where it sends. `project_id` is null for
 * a channel of the installation; `unreadable` says why this version cannot read it, and is usually null.
 */
export interface ChannelView {
  id: string;
  project_id: string | null;
  name: string;
  kind: string;
  enabled: boolean;
  address: string;
  target: Record<string, unknown> | null;
  has_secret: boolean;
  unreadable: string | null;
  events: ("failure" | "dead_letter" | "recovery" | "alert" | "budget")[];
  severity: "info" | "warning" | "critical";
  tags: string[];
  jobs: string[];
  named_only: boolean;
  quiet: QuietHours | null;
  digest: number;
  repeat_after: number;
  per_hour: number;
  last_delivery: LastDeliveryView | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

export interface ChunkBody {
  id: string;
  token: string;
  seq: number;
  stream: "stdout" | "stderr" | "system";
  text: string;
  ms_ago?: number;
}

export interface ClaimBody {
  worker_id: string;
  status?: "idle" | "busy" | "draining";
  busy?: number;
  runs_done?: number;
  trouble?: string | null;
  token: string;
  again?: boolean;
  slots: number;
  ahead?: number;
  ahead_seconds?: number;
  wait?: number;
}

export interface ClaimView {
  runs: ClaimedRunView[];
  jobs: ClaimedJobView[];
  more: boolean;
  waited_seconds: number;
  lease_seconds: number;
  drain: boolean;
}

/** A definition with the secrets that it names. */
export interface ClaimedJobView {
  job_id: string;
  version: number;
  definition: Record<string, unknown>;
  secrets: Record<string, string>;
  fault: SecretFaultView | null;
}

/** `input` is JSON text. */
export interface ClaimedRunView {
  id: string;
  job_id: string;
  project_id: string;
  version: number;
  attempt: number;
  trigger: string;
  scheduled_for: string | null;
  input: string | null;
  traceparent: string | null;
  ahead: boolean;
  callback_url: string | null;
}

/** `code` is from the app, or a recovery code. */
export interface CodeBody {
  challenge: string;
  code: string;
}

/**
 * The schedule to compare with; `added` are the instants that it lacks, `removed` those that only it has, as far as
 * both lists reach (`until`; null if both end).
 */
export interface ComparisonView {
  occurrences: OccurrenceView[];
  words: string;
  added: string[];
  removed: string[];
  until: string | null;
}

/** The first code from the new app. */
export interface ConfirmBody {
  code: string;
}

/** Resource limits of a container; None: the worker's default. */
export interface ContainerLimits {
  memory?: number | null;
  cpus?: number | null;
  processes?: number | null;
}

/** Resource limits of a container; None: the worker's default. */
export interface ContainerLimitsInput {
  memory?: number | string | null;
  cpus?: number | null;
  processes?: number | null;
}

/** Runs an image in a new container (or, with `reuse`, in one kept warm for the job). */
export interface ContainerTarget {
  kind: "container";
  image: string;
  entrypoint?: string[] | null;
  command?: string[];
  env?: Record<string, unknown>;
  cwd?: string | null;
  user?: string | null;
  mounts?: Mount[];
  limits?: ContainerLimits;
  network?: boolean;
  pull?: "missing" | "always" | "never";
  reuse?: boolean;
}

/** Runs an image in a new container (or, with `reuse`, in one kept warm for the job). */
export interface ContainerTargetInput {
  kind: "container";
  image: string;
  entrypoint?: string[] | null;
  command?: string[];
  env?: Record<string, unknown>;
  cwd?: string | null;
  user?: string | null;
  mounts?: Mount[];
  limits?: ContainerLimitsInput;
  network?: boolean;
  pull?: "missing" | "always" | "never";
  reuse?: boolean;
}

export type CronFields = Record<string, unknown>;

/** A cron expression field by field. */
export interface CronFieldsInput {
  second?: string | number | null;
  minute?: string | number | null;
  hour?: string | number | null;
  day?: string | number | null;
  month?: string | number | null;
  day_of_week?: string | number | null;
}

/** By the wall clock of a time zone. */
export interface CronSchedule {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  cron: string | CronFields;
}

/** By the wall clock of a time zone. */
export interface CronScheduleInput {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number | string;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  cron: string | CronFieldsInput;
}

/** Runs that ended on the day (UTC) starting at `at`; `avg_duration_ms` covers those that succeeded or failed. */
export interface DayView {
  at: string;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  avg_duration_ms: number | null;
}

/**
 * Failures with one cause: of the same job, with the same exit or response code, and with errors that differ only
 * in numbers and ids. `error` is the newest one. Groups recorded by an older version may span several jobs: `jobs`
 * lists the ten with the most failures.
 */
export interface DeadGroupView {
  fingerprint: string;
  count: number;
  first_at: string;
  last_at: string;
  last_run_id: string;
  error: string | null;
  exit_code: number | null;
  response_code: number | null;
  jobs: DeadJobView[];
}

export interface DeadJobView {
  id: string;
  name: string;
  count: number;
}

/** Which dead letters; an empty one finds all. */
export interface DeadLetterFilter {
  job?: string | null;
  fingerprint?: string | null;
  since?: string | null;
  until?: string | null;
}

/** A failed run; `id` is the run's. */
export interface DeadLetterView {
  id: string;
  job_id: string;
  job_name: string;
  version: number;
  fingerprint: string;
  error: string | null;
  failed_at: string;
  trigger: Trigger;
  attempt: number;
  /** number of attempts that do not count towards max_attempts */
  uncounted: number;
  max_attempts: number;
  exit_code: number | null;
  response_code: number | null;
  input: unknown;
  /** `input` if it is omitted because it is longer than 4 KiB; read the run to get it */
  truncated: "input"[];
  scheduled_for: string | null;
  triggered_by: string | null;
  created_at: string;
}

/**
 * A message to a channel. `kind` is that of its notice, `digest` for several, or `test`; `notices` is the number of
 * notices that it covers; `due_at` is when it is tried next.
 */
export interface DeliveryView {
  id: string;
  channel_id: string;
  state: "pending" | "sent" | "failed";
  kind: string;
  severity: string;
  title: string;
  notices: number;
  tries: number;
  due_at: string;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
}

/**
 * `reasons` say why the status is not `healthy`; `notices` inform admins about projects that are near a quota,
 * which is not a fault.
 */
export interface DetailedHealthView {
  status: string;
  service: string;
  database: "connected" | "disconnected";
  scheduler_service: "running" | "stopped" | "unknown";
  workers: number | null;
  unreadable_jobs: number | null;
  broker: string;
  reasons: string[];
  notices: string[];
}

/** `client` is shown to the user who approves the sign-in. */
export interface DeviceBody {
  client?: string;
}

export interface DeviceTokenBody {
  device_code: string;
}

/**
 * `tokens` is set once the sign-in is approved. After `slow_down`, increase the polling interval by five
 * seconds.
 */
export interface DeviceTokenView {
  status: "signed_in" | "authorization_pending" | "slow_down" | "access_denied" | "expired_token";
  tokens: TokensView | null;
}

/** A sign-in waiting for approval; `same_address` says whether it was requested from your own address. */
export interface DeviceView {
  user_code: string;
  client: string;
  address: string;
  same_address: boolean;
  created_at: string;
  expires_at: string;
}

export interface DiscardBody {
  ids?: string[] | null;
  filter?: DeadLetterFilter | null;
  reason: string;
}

/** E-mail through its own server, or through that of the installation (HORAE_SMTP_URL). */
export interface EmailTarget {
  kind: "email";
  to: string[];
  sender?: string | null;
  server?: MailServer | null;
  password?: string | null;
}

/**
 * Runs that ended, by status, and occurrences that were skipped; attempts that were retried, and runs whose last
 * attempt timed out.
 */
export interface EndedPoint {
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  retries: number;
  timed_out: number;
}

/** `code`, from the current app or a recovery code, is required to replace an existing second factor. */
export interface EnrolBody {
  password: string;
  code?: string | null;
}

/** A session, and the recovery codes, which are shown only once. */
export interface EnrolledView {
  recovery_codes: string[];
  access_token: string;
  refresh_token: string | null;
  token_type: "bearer";
  expires_in: number;
}

/**
 * What an authenticator app needs, shown only once: the `secret` to type in, or `uri` as a QR code, whose dark
 * modules are the ones in the rows of `qr`.
 */
export interface EnrolmentView {
  secret: string;
  uri: string;
  qr: string[];
}

/** A past or expected event in the life of a run. */
export interface EntryView {
  at: string;
  event: string;
  detail: string;
  waited_ms: number | null;
  waited_for: string | null;
}

/** On a fixed grid from `start_at`, or from when the job was created. */
export interface EverySchedule {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  every: string | number | Interval;
}

/** On a fixed grid from `start_at`, or from when the job was created. */
export interface EveryScheduleInput {
  timezone?: string;
  start_at?: string | null;
  end_at?: string | null;
  jitter?: number | string;
  blackouts?: (BlackoutRange | WeeklyWindow)[];
  max_runs?: number | null;
  dst_gap?: "run_after" | "skip";
  dst_fold?: "first" | "second" | "both";
  every: string | number | IntervalInput;
}

/** A topic exchange of the broker that the operator chose (HORAE_EVENTS_AMQP_URL). */
export interface ExchangeSink {
  kind: "amqp";
  exchange?: string;
}

/** `success_rate` is in percent of what succeeded or failed; `stuck` are runs whose worker's lease ran out. */
export interface ExecutionNumbers {
  total: number;
  queued: number;
  running: number;
  success: number;
  failure: number;
  cancelled: number;
  skipped: number;
  timed_out: number;
  retries: number;
  dead_letter: number;
  stuck: number;
  success_rate: number | null;
  avg_duration_ms: number | null;
}

/** So many failed runs within this period are too many. Counted by whole hours. */
export interface FailureBudget {
  failures: number;
  within: number;
}

/** So many failed runs within this period are too many. Counted by whole hours. */
export interface FailureBudgetInput {
  failures: number;
  within: number | string;
}

export interface FieldError {
  field: string;
  message: string;
}

/** A function that an agent can call, as JSON Schema describes its `parameters`. */
export interface FunctionBody {
  name: string;
  display_name: string;
  description?: string;
  handler: string;
  kind: "async" | "process" | "thread";
  queue?: string | null;
  default_timeout?: number | null;
  parameters: string;
}

/** What people decide about a function. */
export interface FunctionPatch {
  is_active?: boolean | null;
  display_name?: string | null;
  description?: string | null;
}

/** A function that workers or admins have registered. `parameters` is the JSON Schema of its arguments. */
export interface FunctionView {
  name: string;
  display_name: string;
  description: string;
  handler: string;
  kind: string;
  /** `function`, `async_function`, or `celery_task` of a Celery app */
  handler_type: string;
  queue: string | null;
  default_timeout: number | null;
  parameters: Record<string, unknown>;
  is_active: boolean;
  is_system: boolean;
  first_seen_at: string;
  last_seen_at: string;
  /** if an admin registered it by its path; otherwise null */
  handler_path: string | null;
  /** why no worker can import its path; null if one can */
  import_error: string | null;
  /** when a worker last imported its path */
  imported_at: string | null;
}

/** One condition for a run to start; `until` is when it clears automatically, `level` is its severity. */
export interface GateView {
  name: string;
  state: "open" | "closed" | "unknown" | "info";
  level: "ok" | "info" | "waiting" | "intended" | "warning" | "problem";
  detail: string;
  unblock: string | null;
  until: string | null;
}

export interface GoodbyeBody {
  worker_id: string;
  runs_done?: number;
}

export interface GoodbyeView {

}

export interface HealthView {
  status: string;
  service: string;
}

/** A run that the agent holds. */
export interface HeldBody {
  id: string;
  token: string;
}

/** Runs that ended in the hour starting at `at`; `avg_duration_ms` covers those that succeeded or failed. */
export interface HourView {
  at: string;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  avg_duration_ms: number | null;
}

/** How the call authenticates: one of these. */
export interface HttpAuth {
  bearer?: string | null;
  basic?: BasicAuth | null;
}

/** How the call authenticates: one of these. */
export interface HttpAuthInput {
  bearer?: string | null;
  basic?: BasicAuth | null;
}

/** A 202 response parks the run until its callback URL is called. */
export interface HttpCallback {
  timeout?: number;
}

/** A 202 response parks the run until its callback URL is called. */
export interface HttpCallbackInput {
  timeout?: number | string;
}

/** Calls a URL; an answer with an expected status is a success. */
export interface HttpTarget {
  kind: "http";
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: string | null;
  auth?: HttpAuth | null;
  expect?: string[];
  follow_redirects?: boolean;
  sign_with?: string[];
  callback?: HttpCallback | null;
}

/** Calls a URL; an answer with an expected status is a success. */
export interface HttpTargetInput {
  kind: "http";
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: string | null;
  auth?: HttpAuthInput | null;
  expect?: string[];
  follow_redirects?: boolean;
  sign_with?: string[];
  callback?: HttpCallbackInput | null;
}

export type Interval = Record<string, unknown>;

/** A duration unit by unit. */
export interface IntervalInput {
  weeks?: number;
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** Valid for a week, or until `expires_at` (at most 90 days). */
export interface InvitationBody {
  role: "viewer" | "operator" | "editor" | "owner";
  note?: string | null;
  expires_at?: string | null;
}

export interface InvitationView {
  id: string;
  project_id: string;
  role: "viewer" | "operator" | "editor" | "owner";
  note: string | null;
  created_by: string;
  created_at: string;
  expires_at: string;
  accepted_by: string | null;
  accepted_at: string | null;
}

/**
 * How a worker isolates job code: the `kinds` of target that run directly on its machine, as which `user`, in which
 * `sandbox` or why in none (`unsandboxed`), and what a script there could read (`readable`). `owner_is_admin` says why
 * a project owner could take over the installation through this worker; null if no such way is known.
 */
export interface IsolationView {
  kinds: string[];
  user: string;
  sandbox: string;
  unsandboxed: string | null;
  readable: string[];
  owner_is_admin: string | null;
}

/** A job as clients send it: its definition, and whether it is enabled. */
export interface JobBody {
  name: string;
  description?: string;
  tags?: string[];
  target: HttpTargetInput | ScriptTargetInput | PythonTarget | ContainerTargetInput | ArtifactTargetInput | CeleryTargetInput;
  schedule?: CronScheduleInput | EveryScheduleInput | AtScheduleInput | ManualSchedule | AfterScheduleInput;
  retry?: RetryInput;
  timeout?: number | string;
  overlap?: "skip" | "queue_one" | "queue_all" | "cancel_running" | "allow";
  max_instances?: number | null;
  catch_up?: "last" | "all" | "first" | "none";
  catch_up_window?: number | string;
  queue?: string;
  priority?: number;
  start_within?: number | string | null;
  grace?: number | string | null;
  keep?: boolean;
  notify?: string[];
  alert?: AlertSpecInput | null;
  enabled?: boolean;
}

/**
 * Why a job does or does not run, in one sentence and gate by gate; `cause` is the gate that the sentence names
 * first, `level` the overall severity.
 */
export interface JobExplanationView {
  at: string;
  summary: string;
  level: "ok" | "info" | "waiting" | "intended" | "warning" | "problem";
  cause: string | null;
  gates: GateView[];
}

export interface JobNumbers {
  total: number;
  enabled: number;
  disabled: number;
  paused: number;
}

/**
 * Any fields of a job (JSON merge patch); null restores a default. For the API description only: an edit is
 * validated as the resulting job.
 */
export interface JobPatch {

}

/**
 * A job's results, all-time and in the last 24 hours (by full hours). `success_rate` is a percentage of the runs
 * that succeeded or failed.
 */
export interface JobStatsView {
  job_id: string;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  retries: number;
  timed_out: number;
  success_rate: number | null;
  avg_duration_ms: number | null;
  last_run_id: string | null;
  last_run_at: string | null;
  last_status: string | null;
  recent: RecentView;
}

export type JobStatus = "scheduled" | "running" | "paused" | "disabled" | "finished";

/** A job with its current state. */
export interface JobView {
  name: string;
  description: string;
  tags: string[];
  target: HttpTarget | ScriptTarget | PythonTarget | ContainerTarget | ArtifactTarget | CeleryTarget | null;
  schedule: CronSchedule | EverySchedule | AtSchedule | ManualSchedule | AfterSchedule | null;
  retry: Retry;
  timeout: number;
  overlap: "skip" | "queue_one" | "queue_all" | "cancel_running" | "allow";
  max_instances: number | null;
  catch_up: "last" | "all" | "first" | "none";
  catch_up_window: number;
  queue: string;
  priority: number;
  start_within: number | null;
  grace: number | null;
  keep: boolean;
  notify: string[];
  alert: AlertSpec | null;
  id: string;
  /** why its definition cannot be read; usually null */
  unreadable: string | null;
  enabled: boolean;
  version: number;
  status: JobStatus;
  next_run_at: string | null;
  last_run_at: string | null;
  last_status: string | null;
  paused: boolean;
  paused_until: string | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

/** `role` must not exceed your own. */
export interface KeyBody {
  name: string;
  role?: "viewer" | "operator" | "editor" | "owner" | "admin";
  expires_at?: string | null;
}

/**
 * `maker` is the user responsible for the key. If the key was created with another key, that is the other key's
 * maker. Null if unknown: the key was created directly on the database, or by a user who has since been deleted
 * (`maker_id` stays).
 */
export interface KeyView {
  id: string;
  name: string;
  role: "viewer" | "operator" | "editor" | "owner" | "admin";
  prefix: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  maker_id: string | null;
  maker: string | null;
  project_id: string;
  project: string;
}

/** How the most recent attempt to send something went. */
export interface LastDeliveryView {
  state: "sent" | "retrying" | "failed";
  at: string;
  error: string | null;
}

/**
 * What a user left behind: the API `keys` they created, which keep working unless they are `revoked`, and how many
 * of their open invitations were withdrawn.
 */
export interface LeftView {
  keys: MadeKeyView[];
  invitations_withdrawn: number;
}

/** Resource limits of an attempt; None: the worker's default. */
export interface Limits {
  memory?: number | null;
  cpu?: number | null;
  files?: number | null;
  processes?: number | null;
}

/** Resource limits of an attempt; None: the worker's default. */
export interface LimitsInput {
  memory?: number | string | null;
  cpu?: number | string | null;
  files?: number | null;
  processes?: number | null;
}

/**
 * Requires your Horae password one last time. If you have a second factor, `code` is required: from the app, or a
 * recovery code.
 */
export interface LinkBody {
  next?: string;
  password: string;
  code?: string | null;
}

/** A job in a list; the last two fields are present only if `include` requests them. */
export interface ListedJobView {
  name: string;
  description: string;
  tags: string[];
  target: HttpTarget | ScriptTarget | PythonTarget | ContainerTarget | ArtifactTarget | CeleryTarget | null;
  schedule: CronSchedule | EverySchedule | AtSchedule | ManualSchedule | AfterSchedule | null;
  retry: Retry;
  timeout: number;
  overlap: "skip" | "queue_one" | "queue_all" | "cancel_running" | "allow";
  max_instances: number | null;
  catch_up: "last" | "all" | "first" | "none";
  catch_up_window: number;
  queue: string;
  priority: number;
  start_within: number | null;
  grace: number | null;
  keep: boolean;
  notify: string[];
  alert: AlertSpec | null;
  id: string;
  /** why its definition cannot be read; usually null */
  unreadable: string | null;
  enabled: boolean;
  version: number;
  status: JobStatus;
  next_run_at: string | null;
  last_run_at: string | null;
  last_status: string | null;
  paused: boolean;
  paused_until: string | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  /** whether it has queued runs that no live worker can execute */
  stranded: boolean;
  /** the schedule as a sentence */
  words: string | null;
  /** how its newest runs ended, newest first */
  recent: RecentRunView[] | null;
}

export interface AlertViewListing {
  items: AlertView[];
  next_cursor: string | null;
}

export interface AttemptViewListing {
  items: AttemptView[];
  next_cursor: string | null;
}

export interface AuditViewListing {
  items: AuditView[];
  next_cursor: string | null;
}

export interface BadgeViewListing {
  items: BadgeView[];
  next_cursor: string | null;
}

export interface BusyWorkerViewListing {
  items: BusyWorkerView[];
  next_cursor: string | null;
}

export interface ChannelViewListing {
  items: ChannelView[];
  next_cursor: string | null;
}

export interface DeadGroupViewListing {
  items: DeadGroupView[];
  next_cursor: string | null;
}

export interface DeadLetterViewListing {
  items: DeadLetterView[];
  next_cursor: string | null;
}

export interface DeliveryViewListing {
  items: DeliveryView[];
  next_cursor: string | null;
}

export interface FunctionViewListing {
  items: FunctionView[];
  next_cursor: string | null;
}

export interface InvitationViewListing {
  items: InvitationView[];
  next_cursor: string | null;
}

export interface KeyViewListing {
  items: KeyView[];
  next_cursor: string | null;
}

export interface ListedJobViewListing {
  items: ListedJobView[];
  next_cursor: string | null;
}

export interface LogLineViewListing {
  items: LogLineView[];
  next_cursor: string | null;
}

export interface MemberViewListing {
  items: MemberView[];
  next_cursor: string | null;
}

export interface OperationViewListing {
  items: OperationView[];
  next_cursor: string | null;
}

export interface PingEventViewListing {
  items: PingEventView[];
  next_cursor: string | null;
}

export interface PingViewListing {
  items: PingView[];
  next_cursor: string | null;
}

export interface ProjectViewListing {
  items: ProjectView[];
  next_cursor: string | null;
}

export interface QueueViewListing {
  items: QueueView[];
  next_cursor: string | null;
}

export interface RunViewListing {
  items: RunView[];
  next_cursor: string | null;
}

export interface SecretViewListing {
  items: SecretView[];
  next_cursor: string | null;
}

export interface SinkViewListing {
  items: SinkView[];
  next_cursor: string | null;
}

export interface UserViewListing {
  items: UserView[];
  next_cursor: string | null;
}

export interface VersionViewListing {
  items: VersionView[];
  next_cursor: string | null;
}

export interface WorkerKeyViewListing {
  items: WorkerKeyView[];
  next_cursor: string | null;
}

export interface LogLineView {
  attempt: number;
  seq: number;
  at: string;
  stream: "stdout" | "stderr" | "system";
  text: string;
}

export interface LoginBody {
  username: string;
  password: string;
}

export interface MadeKeyView {
  id: string;
  name: string;
  role: "viewer" | "operator" | "editor" | "owner" | "admin";
  prefix: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  maker_id: string | null;
  maker: string | null;
  project_id: string;
  project: string;
  revoked: boolean;
}

export interface MailServer {
  host: string;
  port?: number | null;
  security?: "starttls" | "tls" | "none";
  username?: string | null;
}

/** Only when triggered. */
export interface ManualSchedule {
  manual: true;
}

/** The caller, a user or an API key: the projects they are a member of, and their permissions in all others. */
export interface MeView {
  kind: "user" | "key";
  actor: string;
  is_admin: boolean;
  user: UserView | null;
  projects: PlaceView[];
  permissions: string[];
}

export interface MemberBody {
  role: "viewer" | "operator" | "editor" | "owner";
}

export interface MemberView {
  user_id: string;
  username: string;
  is_active: boolean;
  role: "viewer" | "operator" | "editor" | "owner";
  created_by: string;
  created_at: string;
}

/** Of all projects together. */
export interface MetricsView {
  timestamp: string;
  jobs: JobNumbers;
  executions: ExecutionNumbers;
  workers: WorkerRates;
  scheduler: SchedulerLag;
}

/**
 * `items` are at most fifty open alerts that are not silenced: unacknowledged ones come first, the
 * worst of them first.
 */
export interface MonitoredAlertsView {
  timestamp: string;
  alerts: AlertNumbers;
  items: AlertView[];
}

export interface MonitoredDaysView {
  items: DayView[];
}

export interface MonitoredHoursView {
  items: HourView[];
}

export interface MonitoredJobsView {
  timestamp: string;
  jobs: JobNumbers;
  executions: ExecutionNumbers;
}

/** `slots` and `slots_busy` count live workers only: neither stopped nor offline. */
export interface MonitoredWorkersView {
  timestamp: string;
  workers: WorkerNumbers;
  items: WorkerView[];
}

/** A folder or file of the worker's machine; refused unless the worker allows it. */
export interface Mount {
  source: string;
  target: string;
  read_only?: boolean;
}

/** A channel that was just created. */
export interface NewChannelView {
  id: string;
  project_id: string | null;
  name: string;
  kind: string;
  enabled: boolean;
  address: string;
  target: Record<string, unknown> | null;
  has_secret: boolean;
  unreadable: string | null;
  events: ("failure" | "dead_letter" | "recovery" | "alert" | "budget")[];
  severity: "info" | "warning" | "critical";
  tags: string[];
  jobs: string[];
  named_only: boolean;
  quiet: QuietHours | null;
  digest: number;
  repeat_after: number;
  per_hour: number;
  last_delivery: LastDeliveryView | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  /** the generated key of a webhook, shown only once; else null */
  signing_key: string | null;
}

/**
 * The device keeps `device_code`, shows `user_code`, and polls every `interval` seconds. `verification_url` is null
 * if the server does not know its own address: then append `verification_path` to the address that you called.
 */
export interface NewDeviceView {
  device_code: string;
  user_code: string;
  verification_path: string;
  verification_url: string | null;
  expires_in: number;
  interval: number;
}

/** A function registered by its path: workers import it, undecorated, and call it in its own process. */
export interface NewFunction {
  name: string;
  handler_path: string;
  display_name?: string | null;
  description?: string | null;
  queue?: string | null;
  default_timeout?: number | null;
}

/** Includes the token, which is shown only once. */
export interface NewInvitationView {
  id: string;
  project_id: string;
  role: "viewer" | "operator" | "editor" | "owner";
  note: string | null;
  created_by: string;
  created_at: string;
  expires_at: string;
  accepted_by: string | null;
  accepted_at: string | null;
  token: string;
}

/** Includes the key itself, which is shown only once. */
export interface NewKeyView {
  id: string;
  name: string;
  role: "viewer" | "operator" | "editor" | "owner" | "admin";
  prefix: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  maker_id: string | null;
  maker: string | null;
  project_id: string;
  project: string;
  token: string;
}

/** A sink that was just created. */
export interface NewSinkView {
  id: string;
  project_id: string | null;
  name: string;
  kind: string;
  enabled: boolean;
  address: string;
  target: Record<string, unknown> | null;
  unreadable: string | null;
  types: string[];
  jobs: string[];
  tags: string[];
  keep_for: number;
  max_waiting: number;
  waiting: number;
  sent: number;
  dropped: number;
  failing_since: string | null;
  retry_at: string | null;
  last_sent_at: string | null;
  last_error: string | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  /** the generated key of a webhook, shown only once; else null */
  signing_key: string | null;
}

/** `key` is shown only once. */
export interface NewWorkerKeyView {
  id: string;
  name: string;
  projects: string[];
  queues: string[];
  capabilities: string[];
  worker_name: string | null;
  prefix: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  previous_until: string | null;
  key: string;
}

/** `note` says why these may not happen: the job is paused or disabled. */
export interface NextView {
  occurrences: OccurrenceView[];
  words: string;
  note: string | null;
}

export interface OccurrenceView {
  at: string;
  local: string;
  note: string | null;
}

/** A long-running operation with progress; `state` is running, done, cancelled or failed. */
export interface OperationView {
  id: string;
  kind: string;
  state: string;
  job_id: string | null;
  done: number;
  total: number;
  start: string | null;
  end: string | null;
  parallelism: number | null;
  version: number | null;
  rate: number | null;
  reason: string | null;
  error: string | null;
  created_by: string;
  created_at: string;
  finished_at: string | null;
}

/** Alert API of Opsgenie, or of compatible services. */
export interface OpsgenieTarget {
  kind: "opsgenie";
  api_key?: string | null;
  url?: string;
}

export interface OutcomeBody {
  id: string;
  token: string;
  kind: "succeeded" | "failed" | "timed_out" | "cancelled" | "interrupted" | "parked";
  result?: string | null;
  error?: string | null;
  traceback?: string | null;
  exit_code?: number | null;
  response_code?: number | null;
  permanent?: boolean;
  retry_after?: number | null;
  park_for?: number | null;
  duration_ms: number;
  ended_ms_ago?: number;
}

/** Events API v2 of PagerDuty, or of compatible services. */
export interface PagerDutyTarget {
  kind: "pagerduty";
  routing_key?: string | null;
  url?: string;
}

export interface PasswordBody {
  password: string;
  new_password: string;
}

/** End of the pause; without it, until the job is resumed. */
export interface PauseBody {
  until?: string | null;
}

/**
 * A ping as clients send it. With the schedule `manual`, nothing is expected: only failures count, and runs that
 * take longer than `timeout`.
 */
export interface PingBody {
  name: string;
  description?: string;
  tags?: string[];
  schedule?: CronScheduleInput | EveryScheduleInput | AtScheduleInput | ManualSchedule | AfterScheduleInput;
  grace?: number | string;
  timeout?: number | string | null;
}

/** How many pings are in each state. */
export interface PingCountsView {
  new: number;
  up: number;
  started: number;
  late: number;
  down: number;
  paused: number;
}

/** `body` is the end of what was sent; `truncated` if it was longer. */
export interface PingEventDetailView {
  n: number;
  at: string;
  kind: string;
  exit_code: number | null;
  rid: string | null;
  duration_ms: number | null;
  method: string | null;
  address: string | null;
  agent: string | null;
  body_bytes: number | null;
  body: string | null;
  truncated: boolean;
}

/** A signal of a ping; `late` and `overrun` are signals that did not come in time. */
export interface PingEventView {
  n: number;
  at: string;
  kind: string;
  exit_code: number | null;
  rid: string | null;
  duration_ms: number | null;
  method: string | null;
  address: string | null;
  agent: string | null;
  body_bytes: number | null;
}

/** Any fields of a ping (JSON merge patch); null restores the default. */
export interface PingPatch {

}

export type PingState = "new" | "up" | "started" | "late" | "down" | "paused";

/** A ping with its current state. `url` is null for roles that may not write pings. */
export interface PingView {
  name: string;
  description: string;
  tags: string[];
  schedule: CronSchedule | EverySchedule | AtSchedule | ManualSchedule | AfterSchedule | null;
  grace: number;
  timeout: number | null;
  id: string;
  /** why its definition cannot be read; usually null */
  unreadable: string | null;
  /** the schedule in words */
  words: string | null;
  version: number;
  state: PingState;
  /** why it is down */
  reason: "failed" | "late" | "overrun" | null;
  /** when it last went up or down */
  since: string;
  paused: boolean;
  paused_until: string | null;
  /** when the next signal is expected */
  expected_at: string | null;
  /** when it goes down unless a signal arrives */
  deadline_at: string | null;
  /** when the oldest run under way began */
  started_at: string | null;
  last_ping_at: string | null;
  last_success_at: string | null;
  last_failure_at: string | null;
  last_duration_ms: number | null;
  last_exit_code: number | null;
  events: number;
  url: string | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

/** A project that the caller is a member of, with their role and permissions. */
export interface PlaceView {
  project_id: string;
  slug: string;
  name: string;
  role: "viewer" | "operator" | "editor" | "owner" | "admin";
  permissions: string[];
}

/** A schedule, and what to compare it with: another schedule, or a job's current one. */
export interface PreviewBody {
  schedule: CronScheduleInput | EveryScheduleInput | AtScheduleInput | ManualSchedule | AfterScheduleInput;
  count?: number;
  from?: string | null;
  compare?: CronScheduleInput | EveryScheduleInput | AtScheduleInput | ManualSchedule | AfterScheduleInput | null;
  job?: string | null;
}

export interface PreviewView {
  occurrences: OccurrenceView[];
  words: string;
  compare: ComparisonView | null;
}

/**
 * RFC 9457 problem details. `challenge`, `enrol` and `expires_in` are of `second-factor`: what the next step of
 * signing in takes, whether a second factor should be enrolled first, and for how many seconds. `quota` is of
 * `quota-reached`.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  request_id: string;
  field?: string | null;
  errors?: FieldError[] | null;
  challenge?: string | null;
  enrol?: boolean | null;
  expires_in?: number | null;
  quota?: ReachedQuota | null;
}

export interface ProgressBody {
  id: string;
  token: string;
  fraction: number;
  note?: string | null;
}

/** `slug` identifies the project in `Horae-Project`: lowercase letters, digits and -. */
export interface ProjectBody {
  slug: string;
  name?: string | null;
}

export interface ProjectPatch {
  name: string;
}

export interface ProjectView {
  id: string;
  slug: string;
  name: string;
  created_at: string;
}

/** `code` is from the app, or a recovery code. */
export interface ProofBody {
  password: string;
  code: string;
}

/** Calls a function that workers have registered with `@horae.task`. */
export interface PythonTarget {
  kind: "python";
  function: string;
  arguments?: Record<string, unknown>;
  locked?: string[];
}

/** The engine that carries the queue's runs; null: that of the settings. */
export interface QueuePatch {
  engine: "database" | "celery" | null;
}

/**
 * `engine` is what an admin chose, null for the engine of the settings; `carried_by` is the engine that carries its
 * runs now.
 */
export interface QueueStateView {
  name: string;
  paused: boolean;
  paused_at: string | null;
  paused_by: string | null;
  engine: string | null;
  carried_by: string;
}

/**
 * `queued` and `running` count this project's runs; `workers` counts the live workers that its runs can reach.
 * `stranded` counts the queued runs that none of them can execute. `projects` are those that the queue is `reserved`
 * for; only admins see other projects. `engines` can be chosen for it.
 */
export interface QueueView {
  name: string;
  paused: boolean;
  paused_at: string | null;
  paused_by: string | null;
  engine: string | null;
  carried_by: string;
  queued: number;
  running: number;
  workers: number;
  served: boolean;
  stranded: number;
  reserved: boolean;
  projects: string[];
  engines: string[];
}

/** Due runs that wait for a worker, and for how long the oldest one had waited at most. Sampled once a minute. */
export interface QueuedPoint {
  mean: number;
  max: number;
  oldest_seconds: number;
}

/** When messages wait for the end of the window. Those of severity `allow` and above are sent anyway. */
export interface QuietHours {
  windows: WeeklyWindow[];
  timezone?: string;
  allow?: "info" | "warning" | "critical" | null;
}

/**
 * A null `limit` means no limit. `used` is null if it is not counted: log bytes without a limit. `refused_at` is
 * when this quota last caused a rejection, to the minute.
 */
export interface QuotaView {
  limit: number | null;
  used: number | null;
  refused_at: string | null;
}

/** What is left out stays; null takes a limit away. */
export interface QuotasPatch {
  jobs?: number | null;
  live_runs?: number | null;
  fires_per_minute?: number | null;
  log_bytes_per_day?: number | null;
  secrets?: number | null;
  api_keys?: number | null;
}

/**
 * Live runs are all runs that have not ended. Fires are those of schedules, each counted by its busiest hour. Log
 * bytes are those of the current day in UTC. Expired API keys do not count.
 */
export interface QuotasView {
  jobs: QuotaView;
  live_runs: QuotaView;
  fires_per_minute: QuotaView;
  log_bytes_per_day: QuotaView;
  secrets: QuotaView;
  api_keys: QuotaView;
}

export interface ReachedQuota {
  name: string;
  limit: number;
  used: number;
}

export interface RecentRunView {
  id: string;
  status: RunStatus;
  finished_at: string | null;
  duration_ms: number | null;
}

/** `skipped_by_reason` covers the newest 1,000 rows of the job's history. */
export interface RecentView {
  since: string;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
  skipped_by_reason: Record<string, number>;
}

export interface RecoveredView {
  recovered: number;
}

/** Each works once. They are shown only once. */
export interface RecoveryCodesView {
  recovery_codes: string[];
}

/** A job with a recurring schedule. */
export interface RecurringJobBody {
  name: string;
  description?: string;
  tags?: string[];
  target: HttpTargetInput | ScriptTargetInput | PythonTarget | ContainerTargetInput | ArtifactTargetInput | CeleryTargetInput;
  schedule?: CronScheduleInput | EveryScheduleInput | AtScheduleInput | ManualSchedule | AfterScheduleInput;
  retry?: RetryInput;
  timeout?: number | string;
  overlap?: "skip" | "queue_one" | "queue_all" | "cancel_running" | "allow";
  max_instances?: number | null;
  catch_up?: "last" | "all" | "first" | "none";
  catch_up_window?: number | string;
  queue?: string;
  priority?: number;
  start_within?: number | string | null;
  grace?: number | string | null;
  keep?: boolean;
  notify?: string[];
  alert?: AlertSpecInput | null;
  enabled?: boolean;
}

/** `input` replaces the input of every run; `rate` limits the runs per second. */
export interface RedriveBody {
  ids?: string[] | null;
  filter?: DeadLetterFilter | null;
  input?: unknown;
  rate?: number | null;
}

/** Browsers that hold it in a cookie omit it. */
export interface RefreshBody {
  refresh_token?: string | null;
}

export interface RegisterBody {
  instance: string;
  protocols: number[];
  version: string;
  offers: string[];
  slots: number;
  name?: string | null;
  hostname?: string;
  platform?: string;
  queues?: string[];
  functions?: FunctionBody[];
}

export interface RegisteredView {
  worker_id: string;
  protocol: number;
  name: string;
  queues: string[];
  offers: string[];
  projects: string[];
  lease_seconds: number;
  heartbeat_seconds: number;
  longest_wait_seconds: number;
  log_limit: number;
  max_body_bytes: number;
  grace_seconds: number;
}

export interface ReleaseBody {
  worker_id: string;
  runs: ReleasedBody[];
}

export interface ReleaseView {
  released: number;
}

export interface ReleasedBody {
  id: string;
  token: string;
  unreadable?: string | null;
}

export interface RenewBody {
  worker_id: string;
  status?: "idle" | "busy" | "draining";
  busy?: number;
  runs_done?: number;
  trouble?: string | null;
  runs: HeldBody[];
}

export interface RenewView {
  renewed: string[];
  cancel: string[];
  lost: string[];
  drain: boolean;
}

export interface ReportBody {
  worker_id: string;
  outcomes?: OutcomeBody[];
  logs?: ChunkBody[];
  progress?: ProgressBody[];
  wait?: boolean;
}

export interface ReportView {
  refused: string[];
  log_full: string[];
}

/** The slugs of the projects whose jobs may use the queue; empty: open to all. */
export interface ReservationBody {
  projects: string[];
}

export interface ReservationView {
  name: string;
  projects: string[];
}

/**
 * When and how often a failed attempt is retried. `max_attempts` includes the first attempt; an exit status in
 * `permanent_exit_codes` is final.
 */
export interface Retry {
  max_attempts?: number;
  backoff?: "exponential" | "linear" | "fixed";
  delay?: number;
  max_delay?: number;
  jitter?: number;
  permanent_exit_codes?: number[];
}

/** Input for the new run; by default, the input of the old one. */
export interface RetryBody {
  input?: unknown;
}

/**
 * When and how often a failed attempt is retried. `max_attempts` includes the first attempt; an exit status in
 * `permanent_exit_codes` is final.
 */
export interface RetryInput {
  max_attempts?: number;
  backoff?: "exponential" | "linear" | "fixed";
  delay?: number | string;
  max_delay?: number | string;
  jitter?: number;
  permanent_exit_codes?: number[];
}

export interface RollbackBody {
  version: number;
}

/** `overlap`: seconds for which the key before stays valid. */
export interface RotateBody {
  overlap?: number;
}

/** A run in full; `dead_since` is null unless it is currently a dead letter. */
export interface RunDetailView {
  id: string;
  job_id: string;
  job_name: string;
  version: number;
  project_id: string;
  trigger: Trigger;
  scheduled_for: string | null;
  due_at: string | null;
  queue: string;
  priority: number;
  status: RunStatus;
  /** outcome of the attempt that ended it; null if none did */
  outcome: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null;
  /** the number of the latest attempt, whether it counts or not */
  attempt: number;
  /** number of attempts that do not count towards max_attempts */
  uncounted: number;
  max_attempts: number;
  parked: boolean;
  worker_id: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** duration of the attempt that ended it, as measured by its worker */
  duration_ms: number | null;
  response_code: number | null;
  exit_code: number | null;
  result: unknown;
  error: string | null;
  reason: string | null;
  occurrences: number;
  scheduled_until: string | null;
  input: unknown;
  /** in lists: fields omitted because they are longer than 4 KiB */
  truncated: ("input" | "result")[];
  progress: unknown;
  parent_run_id: string | null;
  rerun_of: string | null;
  triggered_by: string | null;
  /** the scheduler that fired it; null if none did */
  scheduler_id: string | null;
  /** the trace it is part of: that of its caller's `traceparent`, or its own */
  trace_id: string;
  created_at: string;
  /** while it runs: when its worker's lease expires unless renewed */
  lease_until: string | null;
  /** while it runs: the last heartbeat of its worker */
  worker_heartbeat_at: string | null;
  /** its trace in the viewer that `HORAE_TRACE_URL` names */
  trace_url: string | null;
  traceback: string | null;
  cancel_requested_at: string | null;
  dead_since: string | null;
}

/** Why a run does or does not start, and its timeline. */
export interface RunExplanationView {
  at: string;
  summary: string;
  level: "ok" | "info" | "waiting" | "intended" | "warning" | "problem";
  cause: string | null;
  gates: GateView[];
  timeline: EntryView[];
}

export type RunStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped";

/** A run, live or ended. */
export interface RunView {
  id: string;
  job_id: string;
  job_name: string;
  version: number;
  project_id: string;
  trigger: Trigger;
  scheduled_for: string | null;
  due_at: string | null;
  queue: string;
  priority: number;
  status: RunStatus;
  /** outcome of the attempt that ended it; null if none did */
  outcome: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null;
  /** the number of the latest attempt, whether it counts or not */
  attempt: number;
  /** number of attempts that do not count towards max_attempts */
  uncounted: number;
  max_attempts: number;
  parked: boolean;
  worker_id: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** duration of the attempt that ended it, as measured by its worker */
  duration_ms: number | null;
  response_code: number | null;
  exit_code: number | null;
  result: unknown;
  error: string | null;
  reason: string | null;
  occurrences: number;
  scheduled_until: string | null;
  input: unknown;
  /** in lists: fields omitted because they are longer than 4 KiB */
  truncated: ("input" | "result")[];
  progress: unknown;
  parent_run_id: string | null;
  rerun_of: string | null;
  triggered_by: string | null;
  /** the scheduler that fired it; null if none did */
  scheduler_id: string | null;
  /** the trace it is part of: that of its caller's `traceparent`, or its own */
  trace_id: string;
  created_at: string;
}

/** Runs that are being executed. `slots` and `utilisation` are of all workers. Sampled once a minute. */
export interface RunningPoint {
  mean: number;
  max: number;
  slots: number;
  utilisation: number | null;
}

/** Restrictions by namespaces (bubblewrap on the worker). */
export interface Sandbox {
  network?: boolean;
  read_only?: boolean;
}

/** How long the longest overdue job has been due without being fired. */
export interface SchedulerLag {
  lag_seconds: number;
}

export type SchedulerStatus = "active" | "standby" | "offline";

export interface SchedulerView {
  id: string;
  hostname: string;
  platform: string;
  pid: number;
  version: string;
  status: SchedulerStatus;
  shards: number[];
  leases: ShardLeaseView[];
  started_at: string;
  heartbeat_at: string;
  trouble: TroubleView | null;
}

/** All schedulers. A shard (of `shard_count`) that none of them owns does not fire its jobs. */
export interface SchedulersView {
  items: SchedulerView[];
  next_cursor: string | null;
  shard_count: number;
}

/** Runs a script in its own session on the worker's machine. */
export interface ScriptTarget {
  kind: "script";
  interpreter?: string;
  source?: string | null;
  file?: string | null;
  args?: string[];
  env?: Record<string, unknown>;
  cwd?: string | null;
  limits?: Limits;
  sandbox?: Sandbox | null;
}

/** Runs a script in its own session on the worker's machine. */
export interface ScriptTargetInput {
  kind: "script";
  interpreter?: string;
  source?: string | null;
  file?: string | null;
  args?: string[];
  env?: Record<string, unknown>;
  cwd?: string | null;
  limits?: LimitsInput;
  sandbox?: Sandbox | null;
}

/** `required`: this installation requires a second factor from everyone, or from every admin. */
export interface SecondFactorView {
  enabled: boolean;
  enabled_at: string | null;
  recovery_codes_left: number;
  required: boolean;
}

/** A secret's value: 1 byte to 64 KiB of text without NUL. */
export interface SecretBody {
  value: string;
}

export interface SecretFaultView {
  error: string;
  permanent: boolean;
}

/** A secret; its value is never shown. */
export interface SecretView {
  name: string;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

/**
 * What happened from `at` on, for one step. Null: not requested, or not known because no scheduler was running.
 * `lateness` is from when runs were due until they started, `duration` of their last attempt. `done` is what a worker
 * executed.
 */
export interface SeriesPoint {
  at: string;
  ended?: EndedPoint | null;
  queued?: QueuedPoint | null;
  running?: RunningPoint | null;
  lateness?: SpreadPoint | null;
  duration?: SpreadPoint | null;
  done?: number | null;
}

/** `step` is in seconds. */
export interface SeriesView {
  since: string;
  until: string;
  step: number;
  points: SeriesPoint[];
}

/**
 * A shard leased by a scheduler until `lease_until` unless renewed; the epoch counts the shard's owners.
 * `owned_since` is null if an older version of Horae, which did not record it, took the shard.
 */
export interface ShardLeaseView {
  shard: number;
  epoch: number;
  lease_until: string;
  owned_since: string | null;
}

/** The URL where a browser can end its session at the identity provider. */
export interface SignOutView {
  url: string;
}

export interface SignalsBody {
  worker_id: string;
  wait?: number;
}

export interface SignalsView {
  cancel: boolean;
  drain: boolean;
}

/**
 * The password has 12 to 200 characters. `token` is the one-time token that the server printed, or the token of an
 * invitation.
 */
export interface SignupBody {
  username: string;
  password: string;
  token?: string | null;
}

/** Exactly one of `until` and `for`; `for: 0` ends the silence. */
export interface SilenceBody {
  until?: string | null;
  for?: number | string | null;
  note?: string | null;
}

/** A sink as clients send it. The secret fields of a webhook (`url`, `key`) are write-only. */
export interface SinkBody {
  types?: string[];
  jobs?: string[];
  tags?: string[];
  keep_for?: number | string;
  max_waiting?: number;
  name: string;
  enabled?: boolean;
  target: WebhookSink | ExchangeSink | StreamSink;
}

/**
 * Any fields of a sink (JSON merge patch); null restores a default. Secret fields that are not given stay as they
 * are. For the description only: an edit is checked as the sink that comes out of it.
 */
export interface SinkPatch {

}

/** A test event that waits to be sent. */
export interface SinkTestView {
  event_id: string;
  sink: SinkView;
}

/**
 * A sink. `target` lacks its secret fields; `address` shows where it sends. `project_id` is null for a sink of the
 * installation; `unreadable` says why this version cannot read it, and is usually null. `waiting` events have not been
 * accepted yet. `failing_since` is null unless the last try failed: `last_error` says why, and the next one is at
 * `retry_at`. `dropped` events were too old or too many, or refused again and again.
 */
export interface SinkView {
  id: string;
  project_id: string | null;
  name: string;
  kind: string;
  enabled: boolean;
  address: string;
  target: Record<string, unknown> | null;
  unreadable: string | null;
  types: string[];
  jobs: string[];
  tags: string[];
  keep_for: number;
  max_waiting: number;
  waiting: number;
  sent: number;
  dropped: number;
  failing_since: string | null;
  retry_at: string | null;
  last_sent_at: string | null;
  last_error: string | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
}

/** An incoming webhook of Slack, or of Mattermost, Rocket.Chat, Discord (`/slack`) and other compatible services. */
export interface SlackTarget {
  kind: "slack";
  url?: string | null;
}

/** Percentiles in seconds, of the runs that ended and had started; each is accurate to within a fifth. */
export interface SpreadPoint {
  count: number;
  p50: number | null;
  p90: number | null;
  p99: number | null;
}

/** `next` is the portal page to return to. */
export interface SsoBody {
  next?: string;
}

/** Where to send the browser. */
export interface SsoView {
  url: string;
}

/**
 * The ways to sign in: whether the first admin is still to be created, whether sign-up is open, whether passwords
 * are accepted, and the display name of single sign-on, if it is set up.
 */
export interface StartView {
  first_admin: boolean;
  open_signup: boolean;
  password: boolean;
  sso: string | null;
}

/**
 * Queued runs with the same requirements, which no live worker meets: how many there are, and since when the oldest
 * is due. `cause` is `queue` or `capability`, the closed gate in their explanation.
 */
export interface StrandedGroupView {
  queue: string;
  needs: string;
  runs: number;
  since: string;
  cause: string;
  detail: string;
  unblock: string | null;
}

/** `timestamp` is null until the first measurement. */
export interface StrandedView {
  timestamp: string | null;
  items: StrandedGroupView[];
}

/** A stream of the Redis that the operator chose (HORAE_EVENTS_REDIS_URL). */
export interface StreamSink {
  kind: "redis";
  stream?: string;
  max_length?: number;
}

export interface SubjectView {
  kind: string;
  id: string | null;
  name: string | null;
}

/** The token of an invitation. */
export interface TokenBody {
  token: string;
}

/** `refresh_token` is null if it was set as a cookie. */
export interface TokensView {
  access_token: string;
  refresh_token: string | null;
  token_type: "bearer";
  expires_in: number;
}

export type Trigger = "schedule" | "manual" | "api" | "retry" | "backfill" | "after";

/** The parameters of one run. */
export interface TriggerBody {
  input?: unknown;
  run_at?: string | null;
  priority?: number | null;
}

/** A task of a process that keeps failing (`claim`, `report`, `fire` …), the reason in one line, and since when. */
export interface TroubleView {
  loop: string;
  reason: string;
  since: string;
}

/** The job to wait for, by name or id, and which ends of its runs count. */
export interface Upstream {
  job: string;
  on?: "success" | "failure" | "any";
}

export interface UserBody {
  username: string;
  password: string;
  is_admin?: boolean;
}

/** What is left out stays. A new password, or `is_active: false`, ends the user's sessions. */
export interface UserPatch {
  is_admin?: boolean | null;
  is_active?: boolean | null;
  password?: string | null;
}

export interface UserView {
  id: string;
  username: string;
  is_admin: boolean;
  is_active: boolean;
  created_by: string;
  created_at: string;
  updated_at: string;
  password_changed_at: string;
  last_login_at: string | null;
  has_password: boolean;
  second_factor: boolean;
}

/** A version of a job, and its changes from the version before. */
export interface VersionView {
  version: number;
  created_by: string;
  created_at: string;
  note: string | null;
  definition: Record<string, unknown>;
  changes: ChangeView[];
}

/** Signed POSTs of CloudEvents: one event each, or up to `batch` of them as a JSON array. */
export interface WebhookSink {
  kind: "webhook";
  url?: string | null;
  key?: string | null;
  batch?: number;
}

/** A POST of JSON, signed by the Standard Webhooks specification. */
export interface WebhookTarget {
  kind: "webhook";
  url?: string | null;
  key?: string | null;
}

/** The same hours on the same days of each week. */
export interface WeeklyWindow {
  days?: ("MON" | "TUE" | "WED" | "THU" | "FRI" | "SAT" | "SUN")[];
  start: string;
  end: string;
}

/** Empty lists: all of them. A capability that ends with * stands for all that begin so. */
export interface WorkerKeyBody {
  name: string;
  projects?: string[];
  queues?: string[];
  capabilities?: string[];
  worker_name?: string | null;
  expires_at?: string | null;
}

export interface WorkerKeyView {
  id: string;
  name: string;
  projects: string[];
  queues: string[];
  capabilities: string[];
  worker_name: string | null;
  prefix: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  previous_until: string | null;
}

export interface WorkerNumbers {
  total: number;
  idle: number;
  busy: number;
  draining: number;
  stopped: number;
  offline: number;
  slots: number;
  slots_busy: number;
  runs_done: number;
}

/** `runs_per_minute` are those that ended in the last complete minute. */
export interface WorkerRates {
  total: number;
  alive: number;
  slots: number;
  slots_busy: number;
  runs_per_minute: number;
}

export type WorkerStatus = "idle" | "busy" | "draining" | "stopped" | "offline";

/**
 * `queues` and `projects` are empty for a worker that serves all. Only admins see the names of other projects and
 * their queues; others see how many there are (`other_queues`, `other_projects`).
 */
export interface WorkerView {
  id: string;
  name: string;
  hostname: string;
  platform: string;
  pid: number;
  version: string;
  queues: string[];
  other_queues: number;
  projects: string[];
  other_projects: number;
  offers: string[];
  slots: number;
  busy: number;
  status: WorkerStatus;
  runs_done: number;
  started_at: string;
  heartbeat_at: string;
  drain_requested_by: string | null;
  trouble: TroubleView | null;
  isolation: IsolationView | null;
  engine: string | null;
}

/** What each operation takes and answers, below /api/v1. */
export interface Operations {
  "POST /jobs/{id}/run": {
    path: { id: string };
    query: never;
    body: TriggerBody | undefined;
    answer: RunView;
  };
  "POST /jobs/{id}/runs:batch": {
    path: { id: string };
    query: never;
    body: BatchBody;
    answer: RunViewListing;
  };
  "GET /jobs/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobView;
  };
  "PUT /jobs/{id}": {
    path: { id: string };
    query: never;
    body: JobBody;
    answer: JobView;
  };
  "PATCH /jobs/{id}": {
    path: { id: string };
    query: never;
    body: JobPatch;
    answer: JobView;
  };
  "DELETE /jobs/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "GET /jobs": {
    path: never;
    query: { sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | "next_run_at" | "-next_run_at"; include?: "recent" | "words" | "recent,words" | null; limit?: number; cursor?: string | null; q?: string | null; kind?: "http" | "script" | "python" | "container" | "artifact" | "celery" | null; schedule?: "cron" | "every" | "at" | "after" | "manual" | null; status?: JobStatus | null; enabled?: boolean | null; paused?: boolean | null; tag?: string | null; queue?: string | null; last_status?: "succeeded" | "failed" | "cancelled" | null; recurring?: boolean | null };
    body: never;
    answer: ListedJobViewListing;
  };
  "POST /jobs": {
    path: never;
    query: never;
    body: JobBody;
    answer: JobView;
  };
  "POST /jobs/recurring": {
    path: never;
    query: never;
    body: RecurringJobBody;
    answer: JobView;
  };
  "POST /jobs/{id}/pause": {
    path: { id: string };
    query: never;
    body: PauseBody | undefined;
    answer: JobView;
  };
  "POST /jobs/{id}/resume": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobView;
  };
  "POST /jobs/{id}/enable": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobView;
  };
  "POST /jobs/{id}/disable": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobView;
  };
  "GET /jobs/{id}/versions": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: VersionViewListing;
  };
  "GET /jobs/{id}/versions/{version}": {
    path: { id: string; version: number };
    query: never;
    body: never;
    answer: VersionView;
  };
  "POST /jobs/{id}/rollback": {
    path: { id: string };
    query: never;
    body: RollbackBody;
    answer: JobView;
  };
  "POST /jobs/{id}/backfill": {
    path: { id: string };
    query: never;
    body: BackfillBody;
    answer: BackfillPlanView | OperationView;
  };
  "GET /operations": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: OperationViewListing;
  };
  "GET /operations/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: OperationView;
  };
  "POST /operations/{id}/cancel": {
    path: { id: string };
    query: never;
    body: never;
    answer: OperationView;
  };
  "GET /jobs/{id}/stats": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobStatsView;
  };
  "POST /schedules/preview": {
    path: never;
    query: never;
    body: PreviewBody;
    answer: PreviewView;
  };
  "GET /jobs/{id}/next": {
    path: { id: string };
    query: { count?: number };
    body: never;
    answer: NextView;
  };
  "GET /calendar": {
    path: never;
    query: { by?: "none" | "minute" | "hour"; tag?: string | null; queue?: string | null; q?: string | null; start?: string | null; end?: string | null };
    body: never;
    answer: CalendarView;
  };
  "GET /auth/start": {
    path: never;
    query: never;
    body: never;
    answer: StartView;
  };
  "POST /auth/signup": {
    path: never;
    query: never;
    body: SignupBody;
    answer: UserView;
  };
  "POST /auth/login": {
    path: never;
    query: never;
    body: LoginBody;
    answer: TokensView;
  };
  "POST /auth/refresh": {
    path: never;
    query: never;
    body: RefreshBody | undefined;
    answer: TokensView;
  };
  "POST /auth/logout": {
    path: never;
    query: never;
    body: RefreshBody | undefined;
    answer: SignOutView;
  };
  "GET /auth/me": {
    path: never;
    query: never;
    body: never;
    answer: MeView;
  };
  "POST /auth/password": {
    path: never;
    query: never;
    body: PasswordBody;
    answer: void;
  };
  "DELETE /auth/sessions": {
    path: never;
    query: never;
    body: never;
    answer: void;
  };
  "POST /auth/login/code": {
    path: never;
    query: never;
    body: CodeBody;
    answer: TokensView;
  };
  "POST /auth/login/enrol": {
    path: never;
    query: never;
    body: ChallengeBody;
    answer: EnrolmentView;
  };
  "POST /auth/login/confirm": {
    path: never;
    query: never;
    body: CodeBody;
    answer: EnrolledView;
  };
  "GET /auth/second-factor": {
    path: never;
    query: never;
    body: never;
    answer: SecondFactorView;
  };
  "POST /auth/second-factor": {
    path: never;
    query: never;
    body: EnrolBody;
    answer: EnrolmentView;
  };
  "POST /auth/second-factor/confirm": {
    path: never;
    query: never;
    body: ConfirmBody;
    answer: RecoveryCodesView;
  };
  "POST /auth/second-factor/recovery-codes": {
    path: never;
    query: never;
    body: ProofBody;
    answer: RecoveryCodesView;
  };
  "POST /auth/second-factor/off": {
    path: never;
    query: never;
    body: ProofBody;
    answer: void;
  };
  "DELETE /users/{id}/second-factor": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "POST /auth/sso/start": {
    path: never;
    query: never;
    body: SsoBody | undefined;
    answer: SsoView;
  };
  "POST /auth/sso/link": {
    path: never;
    query: never;
    body: LinkBody;
    answer: SsoView;
  };
  "POST /auth/device": {
    path: never;
    query: never;
    body: DeviceBody | undefined;
    answer: NewDeviceView;
  };
  "POST /auth/device/token": {
    path: never;
    query: never;
    body: DeviceTokenBody;
    answer: DeviceTokenView;
  };
  "GET /auth/device/{code}": {
    path: { code: string };
    query: never;
    body: never;
    answer: DeviceView;
  };
  "POST /auth/device/{code}": {
    path: { code: string };
    query: never;
    body: ApprovalBody;
    answer: void;
  };
  "GET /users": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: UserViewListing;
  };
  "POST /users": {
    path: never;
    query: never;
    body: UserBody;
    answer: UserView;
  };
  "GET /users/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: UserView;
  };
  "PATCH /users/{id}": {
    path: { id: string };
    query: { revoke_keys?: boolean };
    body: UserPatch;
    answer: ChangedUserView;
  };
  "DELETE /users/{id}": {
    path: { id: string };
    query: { revoke_keys?: boolean };
    body: never;
    answer: LeftView;
  };
  "DELETE /users/{id}/sessions": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "GET /projects": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: ProjectViewListing;
  };
  "POST /projects": {
    path: never;
    query: never;
    body: ProjectBody;
    answer: ProjectView;
  };
  "GET /projects/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: ProjectView;
  };
  "PATCH /projects/{id}": {
    path: { id: string };
    query: never;
    body: ProjectPatch;
    answer: ProjectView;
  };
  "DELETE /projects/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "GET /quotas": {
    path: never;
    query: never;
    body: never;
    answer: QuotasView;
  };
  "GET /projects/{id}/quotas": {
    path: { id: string };
    query: never;
    body: never;
    answer: QuotasView;
  };
  "PATCH /projects/{id}/quotas": {
    path: { id: string };
    query: never;
    body: QuotasPatch;
    answer: QuotasView;
  };
  "GET /projects/{id}/members": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: MemberViewListing;
  };
  "PUT /projects/{id}/members/{user}": {
    path: { id: string; user: string };
    query: { revoke_keys?: boolean };
    body: MemberBody;
    answer: ChangedMemberView;
  };
  "DELETE /projects/{id}/members/{user}": {
    path: { id: string; user: string };
    query: { revoke_keys?: boolean };
    body: never;
    answer: LeftView;
  };
  "GET /projects/{id}/invitations": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: InvitationViewListing;
  };
  "POST /projects/{id}/invitations": {
    path: { id: string };
    query: never;
    body: InvitationBody;
    answer: NewInvitationView;
  };
  "DELETE /projects/{id}/invitations/{invitation}": {
    path: { invitation: string; id: string };
    query: never;
    body: never;
    answer: void;
  };
  "POST /invitations/accept": {
    path: never;
    query: never;
    body: TokenBody;
    answer: ProjectView;
  };
  "GET /api-keys": {
    path: never;
    query: { maker?: string | null; all_projects?: boolean; limit?: number; cursor?: string | null };
    body: never;
    answer: KeyViewListing;
  };
  "POST /api-keys": {
    path: never;
    query: never;
    body: KeyBody;
    answer: NewKeyView;
  };
  "DELETE /api-keys/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "GET /audit": {
    path: never;
    query: { format?: "json" | "jsonl"; all_projects?: boolean; limit?: number; cursor?: string | null; actor?: string | null; action?: string | null; kind?: string | null; subject?: string | null; since?: string | null; until?: string | null };
    body: never;
    answer: AuditViewListing;
  };
  "GET /runs": {
    path: never;
    query: { job?: string | null; limit?: number; cursor?: string | null; status?: RunStatus | null; trigger?: Trigger | null; worker?: string | null; queue?: string | null; since?: string | null; until?: string | null; outcome?: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null; ended_since?: string | null; ended_until?: string | null; sort?: "created_at" | "-created_at" };
    body: never;
    answer: RunViewListing;
  };
  "GET /jobs/{id}/executions": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null; status?: RunStatus | null; trigger?: Trigger | null; worker?: string | null; queue?: string | null; since?: string | null; until?: string | null; outcome?: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null; ended_since?: string | null; ended_until?: string | null; sort?: "created_at" | "-created_at" };
    body: never;
    answer: RunViewListing;
  };
  "GET /jobs/{id}/runs": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null; status?: RunStatus | null; trigger?: Trigger | null; worker?: string | null; queue?: string | null; since?: string | null; until?: string | null; outcome?: "succeeded" | "failed" | "timed_out" | "lost" | "interrupted" | "cancelled" | null; ended_since?: string | null; ended_until?: string | null; sort?: "created_at" | "-created_at" };
    body: never;
    answer: RunViewListing;
  };
  "GET /runs/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: RunDetailView;
  };
  "GET /runs/{id}/attempts": {
    path: { id: string };
    query: never;
    body: never;
    answer: AttemptViewListing;
  };
  "POST /runs:recover": {
    path: never;
    query: never;
    body: never;
    answer: RecoveredView;
  };
  "POST /runs/{id}/cancel": {
    path: { id: string };
    query: never;
    body: never;
    answer: RunView;
  };
  "GET /runs/{id}/log": {
    path: { id: string };
    query: { cursor?: string | null; limit?: number; format?: "json" | "text"; follow?: boolean };
    body: never;
    answer: LogLineViewListing;
  };
  "POST /callbacks/{token}": {
    path: { token: string };
    query: never;
    body: CallbackBody;
    answer: CallbackView;
  };
  "GET /jobs/{id}/explain": {
    path: { id: string };
    query: never;
    body: never;
    answer: JobExplanationView;
  };
  "GET /runs/{id}/explain": {
    path: { id: string };
    query: never;
    body: never;
    answer: RunExplanationView;
  };
  "POST /runs/{id}/retry": {
    path: { id: string };
    query: never;
    body: RetryBody | undefined;
    answer: RunView;
  };
  "POST /jobs/{id}/retry": {
    path: { id: string };
    query: never;
    body: RetryBody | undefined;
    answer: RunView;
  };
  "GET /dead-letters": {
    path: never;
    query: { limit?: number; cursor?: string | null; job?: string | null; fingerprint?: string | null; since?: string | null; until?: string | null };
    body: never;
    answer: DeadLetterViewListing;
  };
  "GET /dead-letters/groups": {
    path: never;
    query: { limit?: number; cursor?: string | null; job?: string | null; fingerprint?: string | null; since?: string | null; until?: string | null };
    body: never;
    answer: DeadGroupViewListing;
  };
  "POST /dead-letters/redrive": {
    path: never;
    query: never;
    body: RedriveBody;
    answer: OperationView;
  };
  "POST /dead-letters/discard": {
    path: never;
    query: never;
    body: DiscardBody;
    answer: OperationView;
  };
  "GET /secrets": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: SecretViewListing;
  };
  "PUT /secrets/{name}": {
    path: { name: string };
    query: never;
    body: SecretBody;
    answer: SecretView;
  };
  "DELETE /secrets/{name}": {
    path: { name: string };
    query: { force?: boolean };
    body: never;
    answer: void;
  };
  "GET /channels": {
    path: never;
    query: { installation?: boolean; limit?: number; cursor?: string | null };
    body: never;
    answer: ChannelViewListing;
  };
  "POST /channels": {
    path: never;
    query: { installation?: boolean };
    body: ChannelBody;
    answer: NewChannelView;
  };
  "GET /channels/{id}": {
    path: { id: string };
    query: { installation?: boolean };
    body: never;
    answer: ChannelView;
  };
  "PATCH /channels/{id}": {
    path: { id: string };
    query: { installation?: boolean };
    body: ChannelPatch;
    answer: ChannelView;
  };
  "DELETE /channels/{id}": {
    path: { id: string };
    query: { force?: boolean; installation?: boolean };
    body: never;
    answer: void;
  };
  "POST /channels/{id}/test": {
    path: { id: string };
    query: { installation?: boolean };
    body: never;
    answer: DeliveryView;
  };
  "GET /channels/{id}/deliveries": {
    path: { id: string };
    query: { installation?: boolean; limit?: number; cursor?: string | null };
    body: never;
    answer: DeliveryViewListing;
  };
  "GET /sinks": {
    path: never;
    query: { installation?: boolean; limit?: number; cursor?: string | null };
    body: never;
    answer: SinkViewListing;
  };
  "POST /sinks": {
    path: never;
    query: { installation?: boolean };
    body: SinkBody;
    answer: NewSinkView;
  };
  "GET /sinks/{id}": {
    path: { id: string };
    query: { installation?: boolean };
    body: never;
    answer: SinkView;
  };
  "PATCH /sinks/{id}": {
    path: { id: string };
    query: { installation?: boolean };
    body: SinkPatch;
    answer: SinkView;
  };
  "DELETE /sinks/{id}": {
    path: { id: string };
    query: { installation?: boolean };
    body: never;
    answer: void;
  };
  "POST /sinks/{id}/test": {
    path: { id: string };
    query: { installation?: boolean };
    body: never;
    answer: SinkTestView;
  };
  "GET /task-functions": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: FunctionViewListing;
  };
  "POST /task-functions": {
    path: never;
    query: never;
    body: NewFunction;
    answer: FunctionView;
  };
  "GET /task-functions/{name}": {
    path: { name: string };
    query: never;
    body: never;
    answer: FunctionView;
  };
  "PATCH /task-functions/{name}": {
    path: { name: string };
    query: never;
    body: FunctionPatch;
    answer: FunctionView;
  };
  "DELETE /task-functions/{name}": {
    path: { name: string };
    query: never;
    body: never;
    answer: void;
  };
  "GET /workers": {
    path: never;
    query: never;
    body: never;
    answer: BusyWorkerViewListing;
  };
  "POST /workers/{id}/drain": {
    path: { id: string };
    query: never;
    body: never;
    answer: WorkerView;
  };
  "GET /schedulers": {
    path: never;
    query: never;
    body: never;
    answer: SchedulersView;
  };
  "GET /queues": {
    path: never;
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: QueueViewListing;
  };
  "PATCH /queues/{name}": {
    path: { name: string };
    query: never;
    body: QueuePatch;
    answer: QueueStateView;
  };
  "POST /queues/{name}/pause": {
    path: { name: string };
    query: never;
    body: never;
    answer: QueueStateView;
  };
  "POST /queues/{name}/resume": {
    path: { name: string };
    query: never;
    body: never;
    answer: QueueStateView;
  };
  "PUT /queues/{name}/projects": {
    path: { name: string };
    query: never;
    body: ReservationBody;
    answer: ReservationView;
  };
  "GET /monitoring/jobs": {
    path: never;
    query: never;
    body: never;
    answer: MonitoredJobsView;
  };
  "GET /monitoring/hours": {
    path: never;
    query: { hours?: number; job?: string | null };
    body: never;
    answer: MonitoredHoursView;
  };
  "GET /monitoring/days": {
    path: never;
    query: { days?: number; job?: string | null };
    body: never;
    answer: MonitoredDaysView;
  };
  "GET /monitoring/stranded": {
    path: never;
    query: never;
    body: never;
    answer: StrandedView;
  };
  "GET /monitoring/workers": {
    path: never;
    query: never;
    body: never;
    answer: MonitoredWorkersView;
  };
  "GET /monitoring/series": {
    path: never;
    query: { metric?: string | null; since?: string | null; until?: string | null; step?: string | null; queue?: string | null; worker?: string | null; all_projects?: boolean };
    body: never;
    answer: SeriesView;
  };
  "GET /alerts": {
    path: never;
    query: { project?: string | null; limit?: number; cursor?: string | null; state?: "open" | "cleared" | null; severity?: "critical" | "warning" | "info" | null; rule?: string | null; job?: string | null };
    body: never;
    answer: AlertViewListing;
  };
  "GET /alerts/settings": {
    path: never;
    query: never;
    body: never;
    answer: AlertSettingsView;
  };
  "PATCH /alerts/settings": {
    path: never;
    query: never;
    body: AlertSettingsPatch;
    answer: AlertSettingsView;
  };
  "GET /alerts/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: AlertView;
  };
  "POST /alerts/{id}/ack": {
    path: { id: string };
    query: never;
    body: AckBody | undefined;
    answer: AlertView;
  };
  "POST /alerts/{id}/silence": {
    path: { id: string };
    query: never;
    body: SilenceBody;
    answer: AlertView;
  };
  "GET /monitoring/alerts": {
    path: never;
    query: never;
    body: never;
    answer: MonitoredAlertsView;
  };
  "GET /events": {
    path: never;
    query: { kind?: "run" | "job" | "worker" | null; seconds?: number };
    body: never;
    answer: void;
  };
  "GET /pings": {
    path: never;
    query: { q?: string | null; state?: PingState | null; tag?: string | null; limit?: number; cursor?: string | null };
    body: never;
    answer: PingViewListing;
  };
  "POST /pings": {
    path: never;
    query: never;
    body: PingBody;
    answer: PingView;
  };
  "GET /pings/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: PingView;
  };
  "PATCH /pings/{id}": {
    path: { id: string };
    query: never;
    body: PingPatch;
    answer: PingView;
  };
  "DELETE /pings/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "POST /pings/{id}/pause": {
    path: { id: string };
    query: never;
    body: PauseBody | undefined;
    answer: PingView;
  };
  "POST /pings/{id}/resume": {
    path: { id: string };
    query: never;
    body: never;
    answer: PingView;
  };
  "POST /pings/{id}/rotate": {
    path: { id: string };
    query: never;
    body: never;
    answer: PingView;
  };
  "GET /pings/{id}/events": {
    path: { id: string };
    query: { limit?: number; cursor?: string | null };
    body: never;
    answer: PingEventViewListing;
  };
  "GET /pings/{id}/events/{n}": {
    path: { id: string; n: number };
    query: never;
    body: never;
    answer: PingEventDetailView;
  };
  "GET /monitoring/pings": {
    path: never;
    query: never;
    body: never;
    answer: PingCountsView;
  };
  "GET /badges": {
    path: never;
    query: { kind?: "job" | "ping" | null; subject?: string | null; limit?: number; cursor?: string | null };
    body: never;
    answer: BadgeViewListing;
  };
  "POST /badges": {
    path: never;
    query: never;
    body: BadgeBody;
    answer: BadgeView;
  };
  "DELETE /badges/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
  "POST /worker/register": {
    path: never;
    query: never;
    body: RegisterBody;
    answer: RegisteredView;
  };
  "POST /worker/claim": {
    path: never;
    query: never;
    body: ClaimBody;
    answer: ClaimView;
  };
  "POST /worker/renew": {
    path: never;
    query: never;
    body: RenewBody;
    answer: RenewView;
  };
  "POST /worker/signals": {
    path: never;
    query: never;
    body: SignalsBody;
    answer: SignalsView;
  };
  "POST /worker/report": {
    path: never;
    query: never;
    body: ReportBody;
    answer: ReportView;
  };
  "POST /worker/release": {
    path: never;
    query: never;
    body: ReleaseBody;
    answer: ReleaseView;
  };
  "POST /worker/goodbye": {
    path: never;
    query: never;
    body: GoodbyeBody;
    answer: GoodbyeView;
  };
  "GET /worker-keys": {
    path: never;
    query: never;
    body: never;
    answer: WorkerKeyViewListing;
  };
  "POST /worker-keys": {
    path: never;
    query: never;
    body: WorkerKeyBody;
    answer: NewWorkerKeyView;
  };
  "POST /worker-keys/{id}/rotate": {
    path: { id: string };
    query: never;
    body: RotateBody;
    answer: NewWorkerKeyView;
  };
  "DELETE /worker-keys/{id}": {
    path: { id: string };
    query: never;
    body: never;
    answer: void;
  };
}
