import { CheckField } from "@/components/ui/check-field";
import { CodeEditor } from "@/components/ui/code-editor";
import { Field } from "@/components/ui/field";
import { Fold } from "@/components/ui/fold";
import { Group } from "@/components/ui/group";
import { Input } from "@/components/ui/input";
import { PairsEditor } from "@/components/ui/pairs-editor";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "../draft-props";
import type { HttpDraft } from "../model/target-http";
import { useSecretNames } from "../queries";
import { textBinding } from "../text-binding";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].map((value) => ({ value, label: value }));
const AUTHS = [
  { value: "none", label: "None" },
  { value: "bearer", label: "Bearer token" },
  { value: "basic", label: "Username and password" },
];
const HEADERS = ["Accept", "Content-Type", "User-Agent", "X-Request-Source"];
const SENDS_BODY = ["POST", "PUT", "PATCH", "DELETE"];

export function HttpFields(props: DraftProps<HttpDraft>) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  const secrets = useSecretNames();
  return (
    <div className="space-y-4">
      <div className="flex gap-2">
        <Field label="Method" error={errors.at("target.method")} className="w-28 shrink-0">
          <Select choices={METHODS} className="w-full" value={draft.method} onValue={(method) => onDraft({ method })} />
        </Field>
        <TextField
          {...text("url", "target.url")}
          label="URL"
          className="min-w-0 flex-1"
          mono
          placeholder="https://api.example.org/reports"
        />
      </div>
      <Group label="Headers" optional error={errors.under("target.headers")}>
        <PairsEditor
          noun="header"
          rows={draft.headers}
          onRows={(headers) => onDraft({ headers })}
          suggestions={HEADERS}
        />
      </Group>
      <Group label="Query parameters" optional error={errors.under("target.query")}>
        <PairsEditor noun="parameter" rows={draft.query} onRows={(query) => onDraft({ query })} />
      </Group>
      {SENDS_BODY.includes(draft.method) ? (
        <Field
          label="Body"
          optional
          hint={
            <>
              Template: <code className="font-mono">{"{{ input.order | tojson }}"}</code>,{" "}
              <code className="font-mono">{"{{ run.id }}"}</code>. If empty, the run's input is sent as JSON.
            </>
          }
          error={errors.at("target.body")}
        >
          <CodeEditor
            language={draft.body.includes("{{") || draft.body.includes("{%") ? "text" : "json"}
            aria-label="Body"
            value={draft.body}
            onValue={(body) => onDraft({ body })}
          />
        </Field>
      ) : null}
      <Auth draft={draft} onDraft={onDraft} errors={errors} secrets={secrets} />
      <Fold
        title="Response, signature, callback"
        summary={summary(draft)}
        needed={["expect", "sign_with", "callback"].some((name) => errors.under(`target.${name}`) !== undefined)}
      >
        <TextField
          {...text("expect", "target.expect")}
          label="Expected statuses"
          optional
          hint="Comma-separated: 2xx, 404, 200-204. Default: 2xx."
          placeholder="2xx"
        />
        <CheckField
          label="Follow redirects"
          checked={draft.followRedirects}
          onChecked={(followRedirects) => onDraft({ followRedirects })}
        />
        <Field
          label="Sign with secrets"
          optional
          hint={`Secret names, comma-separated. Receivers verify the Webhook-Signature header.${secrets.length > 0 ? ` Available: ${secrets.slice(0, 10).join(", ")}.` : ""}`}
          error={errors.under("target.sign_with")}
        >
          <Input
            placeholder="HOOK_KEY"
            value={draft.signWith}
            onChange={(event) => onDraft({ signWith: event.target.value })}
          />
        </Field>
        <CheckField
          label="Wait for a callback"
          hint="A 202 response parks the run until the URL in the Horae-Callback-Url header is called."
          checked={draft.callback}
          onChecked={(callback) => onDraft({ callback })}
        />
        {draft.callback ? (
          <TextField
            {...text("callbackTimeout", "target.callback.timeout")}
            label="Wait at most (seconds)"
            className="max-w-48"
            inputMode="numeric"
            placeholder="3600"
          />
        ) : null}
      </Fold>
    </div>
  );
}

function summary(draft: HttpDraft): string {
  const words = [draft.expect ? `expects ${draft.expect}` : "2xx is success"];
  if (draft.followRedirects) words.push("follows redirects");
  if (draft.signWith) words.push("signed");
  if (draft.callback) words.push("waits for a callback");
  return words.join(" · ");
}

function Auth(props: DraftProps<HttpDraft> & { secrets: string[] }) {
  const { draft, onDraft, errors, secrets } = props;
  const text = textBinding(props);
  const example = `{{ secrets.${secrets[0] ?? "API_TOKEN"} }}`;
  return (
    <Group label="Authentication" error={errors.at("target.auth")}>
      <Segments
        label="Authentication"
        choices={AUTHS}
        value={draft.auth}
        onValue={(auth) => onDraft({ auth: auth as HttpDraft["auth"] })}
      />
      {draft.auth === "none" ? null : (
        <div className="grid gap-3 pt-2 sm:grid-cols-2">
          {draft.auth === "bearer" ? (
            <TextField
              {...text("token", "target.auth.bearer")}
              label="Token"
              hint={`Use a secret: ${example}. Plain text is rejected.`}
              mono
              placeholder={example}
              autoComplete="off"
            />
          ) : (
            <>
              <TextField {...text("username", "target.auth.basic.username")} label="Username" autoComplete="off" />
              <TextField
                {...text("password", "target.auth.basic.password")}
                label="Password"
                hint={`Use a secret: ${example}`}
                mono
                placeholder={example}
                autoComplete="off"
              />
            </>
          )}
        </div>
      )}
    </Group>
  );
}
