// The kinds of targets, as the filter of GET /jobs lists them.
export function kindsFile(document) {
  const { schema } = document.paths["/api/v1/jobs"].get.parameters.find(({ name }) => name === "kind");
  const kinds = schema.anyOf.find((choice) => choice.enum).enum;
  return [
    "// Generated from the OpenAPI document by `npm run types`. Do not edit.",
    `export const TARGET_KINDS: readonly string[] = ${JSON.stringify(kinds).replaceAll(",", ", ")};`,
    "",
  ].join("\n");
}
