import { type FormEvent, useState } from "react";

/** What the fields of a form say, by their names. */
export type FormText = (name: string) => string;

/** A form that is sent by `send`; what that throws is its `error` until it is sent again. */
export function useForm(send: (text: FormText, form: HTMLFormElement) => Promise<unknown>) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    setBusy(true);
    try {
      await send((name) => String(data.get(name) ?? ""), form);
      setError(null);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(event.currentTarget);
  };
  return { error, busy, onSubmit };
}
