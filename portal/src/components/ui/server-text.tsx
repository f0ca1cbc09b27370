import { Fragment } from "react";
import { Link } from "react-router";
import { type Part, partsOf } from "@/lib/server-text";
import { Time } from "./time";

interface ServerTextProps {
  text: string;
  /** The run that this is about: its id is not a link. */
  own?: string | undefined;
  /** The clock of the page, where it is not the reader's. */
  zone?: string | undefined;
}

/** Prose of the server: ids of runs are links, and instants go by the page's clock. Ids stay whole, to be copied. */
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
