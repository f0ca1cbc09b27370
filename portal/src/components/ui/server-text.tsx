import { Fragment } from "react";
import { Link } from "react-router";
import { type Part, partsOf } from "@/lib/server-text";
import { Time } from "./time";

interface ServerTextProps {
  text: string;
  /** The run of this page: its id is not a link. */
  own?: string | undefined;
  /** The page's time zone, if it is not the reader's. */
  zone?: string | undefined;
}

/** Text from the server: run ids become links, and instants use the page's time zone. Ids stay whole. */
export function ServerText({ text, own, zone }: ServerTextProps) {
  return partsOf(text, zone).map((part, index) => <Fragment key={index}>{shown(part, own, zone)}</Fragment>);
}

function shown(part: Part, own: string | undefined, zone: string | undefined) {
  if (part.kind === "time") return <Time at={part.text} as="exact" zone={zone} />;
  if (part.kind === "text" || part.text === own) return part.text;
  return (
    <Link to={`/runs/${part.text}`} className="rounded break-all text-accent underline">
      {part.text}
    </Link>
  );
}
