import type { FieldError } from "@/api/errors";
import { record, text, texts } from "./read";

// Only common typing mistakes of all that the server refuses, in its own words; a test compares the two.
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const STATUSES = /^([1-5]xx|[1-5]\d\d(-[1-5]\d\d)?)$/;
const IMAGE = /^[a-z0-9A-Z][a-zA-Z0-9._/:-]{0,498}(@sha256:[0-9a-f]{64})?$/;
const URI = /^[a-z][a-z0-9+]{0,30}:\/\/\S{1,4000}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const FUNCTION = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$/;

/** Checks texts whose format is not in the API description. Empty ones are checked elsewhere. */
export function malformed(given: unknown): FieldError[] {
  const target = record(given);
  switch (target.kind) {
    case "http":
      return [
        ...one("target.url", target.url, wrongUrl),
        ...Object.keys(record(target.headers)).flatMap((name) =>
          one(`target.headers.${name}`, name, unless(HEADER, "is not a valid header name")),
        ),
        ...texts(target.expect).flatMap((status, index) =>
          one(
            `target.expect[${index}]`,
            status,
            unless(STATUSES, 'must be a status ("404"), a range ("200-204") or a class ("2xx")'),
          ),
        ),
      ];
    case "container":
      return one(
        "target.image",
        target.image,
        unless(IMAGE, 'must name an image, such as "alpine:3.20" or "registry.example.com/team/tool@sha256:…"'),
      );
    case "artifact":
      return [
        ...one(
          "target.uri",
          target.uri,
          unless(URI, 'must be a URI such as "s3://bucket/tool.zip" or "file:///srv/tool.zip"'),
        ),
        ...one("target.digest", target.digest, unless(DIGEST, 'must be "sha256:" and 64 hexadecimal digits')),
        ...(typeof target.entrypoint === "string"
          ? one(
              "target.entrypoint",
              target.entrypoint,
              unless(FUNCTION, 'must be "module:function", or a list: a command and its arguments'),
            )
          : []),
      ];
    default:
      return [];
  }
}

type Check = (value: string) => string | undefined;

function one(field: string, given: unknown, check: Check): FieldError[] {
  const value = text(given);
  const message = value === "" ? undefined : check(value);
  return message ? [{ field, message }] : [];
}

const unless =
  (pattern: RegExp, message: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : message;

/** Templates are allowed in path and query, with blanks in them; the server checks the rest. */
function wrongUrl(value: string): string | undefined {
  const plain = value.replace(/\{\{.*?\}\}/gs, "");
  if (/\s/.test(plain)) return plain === value ? "must not contain whitespace or control characters" : undefined;
  if (/^https?:\/\/[^/?#]*\{/.test(value))
    return "must have a literal scheme and host: templates are allowed only in the path and query";
  if (!/^https?:\/\//i.test(value)) return "must begin with http:// or https://";
  if (/^https?:\/\/[^/?#]*@/i.test(value)) return "must not contain a username or password; put them in a secret";
  return /^https?:\/\/([/?#:]|$)/i.test(value) ? "does not have a valid host" : undefined;
}
