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

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].map((value) => ({ value, label: value }));
const AUTHS = [
  { value: "none", label: "None" },
  { value: "bearer", label: "Bearer token" },
  { value: "basic", label: "Username and password" },
];
const HEADERS = ["Accept", "Content-Type", "User-Agent", "X-Request-Source"];
const SENDS_BODY = ["POST", "PUT", "PATCH", "DELETE"];

export function HttpFields({ draft, onDraft, errors }: DraftProps<HttpDraft>) {
  const secrets = useSecretNames();
  return (
    <div className="space-y-4">
      <div className="flex gap-2">
        <Field label="Method" error={errors.at("target.method")} className="w-28 shrink-0">
          <Select choices={METHODS} className="w-full" value={draft.method} onValue={(method) => onDraft({ method })} />
        </Field>
        <TextField
          label="URL"
          error={errors.at("target.url")}
          className="min-w-0 flex-1"
          mono
          placeholder="https://api.example.org/reports"
          value={draft.url}
          onValue={(url) => onDraft({ url })}
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
          label="Expected statuses"
          optional
          hint="Comma-separated: 2xx, 404, 200-204. Default: 2xx."
          error={errors.under("target.expect")}
          placeholder="2xx"
          value={draft.expect}
          onValue={(expect) => onDraft({ expect })}
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
            label="Wait at most (seconds)"
            error={errors.at("target.callback.timeout")}
            className="max-w-48"
            inputMode="numeric"
            placeholder="3600"
            value={draft.callbackTimeout}
            onValue={(callbackTimeout) => onDraft({ callbackTimeout })}
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

function Auth({ draft, onDraft, errors, secrets }: DraftProps<HttpDraft> & { secrets: string[] }) {
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
              label="Token"
              hint={`Use a secret: ${example}. Plain text is rejected.`}
              error={errors.at("target.auth.bearer")}
              mono
              placeholder={example}
              value={draft.token}
              autoComplete="off"
              onValue={(token) => onDraft({ token })}
            />
          ) : (
            <>
              <TextField
                label="Username"
                error={errors.at("target.auth.basic.username")}
                value={draft.username}
                autoComplete="off"
                onValue={(username) => onDraft({ username })}
              />
              <TextField
                label="Password"
                hint={`Use a secret: ${example}`}
                error={errors.at("target.auth.basic.password")}
                mono
                placeholder={example}
                value={draft.password}
                autoComplete="off"
                onValue={(password) => onDraft({ password })}
              />
            </>
          )}
        </div>
      )}
    </Group>
  );
}
