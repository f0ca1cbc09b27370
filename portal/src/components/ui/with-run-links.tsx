import { Fragment } from "react";
import { Link } from "react-router";

const RUN = /(?<!worker )\b([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\b/g;

/** Text of the server in which the ids of runs are links. They stay whole: commands with them are copied. */
export function WithRunLinks({ text, own }: { text: string; own?: string }) {
  return text.split(RUN).map((part, index) =>
    index % 2 === 1 && part !== own ? (
      <Link key={index} to={`/runs/${part}`} className="rounded break-all text-accent underline">
        {part}
      </Link>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
