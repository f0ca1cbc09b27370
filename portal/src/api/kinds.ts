// Generated from the OpenAPI document by `npm run types`. Do not edit.
export const TARGET_KINDS: readonly string[] = ["http", "script", "python", "container", "artifact", "celery"];
