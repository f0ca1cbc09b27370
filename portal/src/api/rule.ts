/** What JSON Schema says about a value, so far as the portal checks it: see scripts/rules.mjs. */
export interface Rule {
  /** Another one, by name. */
  ref?: string;
  type?: string;
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  /** For a text with a unit, such as `512MiB`. */
  example?: string;
  /** One of these, null aside. */
  choices?: Rule[];
  items?: Rule;
  /** For the names in a table. */
  keys?: Rule;
  properties?: Record<string, Rule>;
}
