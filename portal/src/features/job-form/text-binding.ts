import type { DraftProps } from "./draft-props";

type TextName<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

/** Binds lines of text to a draft: `<TextField {...text("url", "target.url")} label="URL" />`, where the second name is
 * the path that the API uses in errors. */
export function textBinding<T>({ draft, onDraft, errors }: DraftProps<T>) {
  return (name: TextName<T>, field: string) => ({
    error: errors.under(field),
    value: draft[name] as string,
    onValue: (value: string) => onDraft({ [name]: value } as unknown as Partial<T>),
  });
}
