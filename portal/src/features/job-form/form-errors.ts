import { ApiError, fieldError } from "@/api/errors";

export interface FormErrors {
  /** What is wrong with a field, by its path as the API names it. */
  at: (field: string) => string | undefined;
  /** The same for a table or list: the first thing that is wrong in it. */
  under: (field: string) => string | undefined;
}

export function formErrors(...errors: unknown[]): FormErrors {
  const at = (field: string) => errors.map((error) => fieldError(error, field)).find((found) => found !== undefined);
  const under = (field: string) => {
    for (const error of errors) {
      if (!(error instanceof ApiError)) continue;
      const found = error.fields.find((one) => one.field === field || isBelow(one.field, field));
      if (found)
        return found.field === field
          ? found.message
          : `${found.field.slice(field.length).replace(/^\./, "")}: ${found.message}`;
    }
    return undefined;
  };
  return { at, under };
}

/** One thing that is wrong, found before anything was asked. */
export function only(field: string, message: string): FormErrors {
  const at = (asked: string) => (asked === field ? message : undefined);
  return { at, under: at };
}

function isBelow(field: string, above: string): boolean {
  return field.startsWith(`${above}.`) || field.startsWith(`${above}[`);
}
