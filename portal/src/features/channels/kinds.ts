import { BellRing, Mail, Megaphone, Plug, Siren, Webhook } from "lucide-react";
import type { OptionCard } from "@/components/ui/option-cards";
import type { ChannelKind } from "./model";

export const KIND_CARDS: (OptionCard & { value: ChannelKind })[] = [
  { value: "slack", label: "Slack", hint: "Also Mattermost, Rocket.Chat, Discord", icon: Megaphone },
  { value: "email", label: "E-mail", hint: "By SMTP", icon: Mail },
  { value: "webhook", label: "Webhook", hint: "Signed JSON to a URL", icon: Webhook },
  { value: "pagerduty", label: "PagerDuty", hint: "Opens and resolves incidents", icon: Siren },
  { value: "opsgenie", label: "Opsgenie", hint: "Opens and closes alerts", icon: BellRing },
  { value: "apprise", label: "Apprise", hint: "Other services, by URL", icon: Plug },
];

export function kindLabel(kind: string): string {
  return KIND_CARDS.find((card) => card.value === kind)?.label ?? kind;
}
