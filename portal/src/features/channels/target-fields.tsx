import { CheckField } from "@/components/ui/check-field";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import type { DraftProps } from "@/features/job-form/draft-props";
import { textBinding } from "@/features/job-form/text-binding";
import { type ChannelDraft, SERVICES } from "./model";

interface TargetFieldsProps extends DraftProps<ChannelDraft> {
  /** Whether secrets exist already; they are kept unless the user types new ones. */
  kept: boolean;
}

export function TargetFields(props: TargetFieldsProps) {
  switch (props.draft.kind) {
    case "webhook":
      return <WebhookFields {...props} />;
    case "slack":
      return <Secret {...props} name="url" field="target.url" label="Webhook URL" placeholder={SLACK} />;
    case "apprise":
      return <Secret {...props} name="url" field="target.url" label="Apprise URL" placeholder="tgram://…" />;
    case "email":
      return <EmailFields {...props} />;
    case "pagerduty":
      return (
        <ServiceFields {...props}>
          <Secret {...props} name="routingKey" field="target.routing_key" label="Routing key" />
        </ServiceFields>
      );
    case "opsgenie":
      return (
        <ServiceFields {...props}>
          <Secret {...props} name="apiKey" field="target.api_key" label="API key" />
        </ServiceFields>
      );
  }
}

const SLACK = "https://hooks.slack.com/services/…";

interface SecretProps extends TargetFieldsProps {
  name: "url" | "key" | "password" | "routingKey" | "apiKey";
  field: string;
  label: string;
  placeholder?: string;
  hint?: string;
  optional?: boolean;
}

/** A field that can be written and never read. */
function Secret({ kept, name, field, label, placeholder, hint, optional, ...form }: SecretProps) {
  const text = textBinding(form);
  return (
    <TextField
      {...text(name, field)}
      label={label}
      hint={kept ? "Stored encrypted and never shown. Leave empty to keep it." : hint}
      optional={optional || kept}
      mono
      maxLength={4_000}
      autoComplete="off"
      spellCheck={false}
      placeholder={kept ? "••••••••" : placeholder}
    />
  );
}

function WebhookFields(props: TargetFieldsProps) {
  return (
    <>
      <Secret {...props} name="url" field="target.url" label="URL" placeholder="https://example.org/hooks/horae" />
      <Secret
        {...props}
        name="key"
        field="target.key"
        label="Signing key"
        optional
        hint="Standard Webhooks. Leave empty to generate one; it is shown once."
      />
    </>
  );
}

function ServiceFields(props: TargetFieldsProps & { children: React.ReactNode }) {
  const { draft, children } = props;
  const text = textBinding(props);
  return (
    <>
      {children}
      <TextField
        {...text("url", "target.url")}
        label="Service URL"
        optional
        hint="For another region, or a compatible service. Changing it requires the key again."
        mono
        placeholder={SERVICES[draft.kind]}
      />
    </>
  );
}

const SECURITY = [
  { value: "starttls", label: "STARTTLS" },
  { value: "tls", label: "TLS" },
  { value: "none", label: "None" },
];

function EmailFields(props: TargetFieldsProps) {
  const { draft, onDraft, errors } = props;
  const text = textBinding(props);
  return (
    <>
      <TextField {...text("to", "target.to")} label="To" hint="Comma-separated." placeholder="ops@example.org" />
      <CheckField
        label="Use another mail server"
        hint="Otherwise that of the installation, which sends from its own address (HORAE_SMTP_URL, HORAE_MAIL_FROM)."
        checked={draft.ownServer}
        onChecked={(ownServer) => onDraft({ ownServer })}
      />
      {draft.ownServer ? (
        <div className="grid gap-3 rounded-md border border-line p-3 sm:grid-cols-2">
          <TextField
            label="Host"
            error={errors.at("target.server.host") ?? errors.at("target.server")}
            value={draft.host}
            placeholder="mail.example.org"
            onValue={(host) => onDraft({ host })}
          />
          <TextField
            {...text("port", "target.server.port")}
            label="Port"
            optional
            inputMode="numeric"
            placeholder={{ starttls: "587", tls: "465", none: "25" }[draft.security]}
          />
          <Field label="Encryption" error={errors.at("target.server.security")}>
            <Select
              className="block"
              choices={SECURITY}
              value={draft.security}
              onValue={(security) => onDraft({ security })}
            />
          </Field>
          <TextField {...text("sender", "target.sender")} label="From" optional placeholder="horae@example.org" />
          <TextField {...text("username", "target.server.username")} label="Username" optional autoComplete="off" />
          {draft.username.trim() ? (
            <Secret {...props} name="password" field="target.password" label="Password" />
          ) : null}
        </div>
      ) : null}
    </>
  );
}
