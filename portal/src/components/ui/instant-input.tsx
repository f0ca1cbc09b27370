import { type ComponentProps, useEffect, useRef, useState } from "react";
import { fromWall, toWall } from "@/lib/zoned";
import { Input } from "./input";

interface InstantInputProps extends Omit<ComponentProps<"input">, "value" | "onChange" | "type"> {
  /** An instant with its offset, or empty. */
  value: string;
  onValue: (value: string) => void;
  /** In this time zone. */
  zone: string;
}

/** A date and a time in a time zone. */
export function InstantInput({ value, onValue, zone, ...props }: InstantInputProps) {
  const [text, setText] = useState(() => toWall(value, zone));
  const sent = useRef(`${value}|${zone}`);
  useEffect(() => {
    if (sent.current === `${value}|${zone}`) return;
    sent.current = `${value}|${zone}`;
    setText(toWall(value, zone));
  }, [value, zone]);
  return (
    <Input
      type="datetime-local"
      step={1}
      {...props}
      value={text}
      onChange={(event) => {
        const next = fromWall(event.target.value, zone);
        setText(event.target.value);
        sent.current = `${next}|${zone}`;
        onValue(next);
      }}
    />
  );
}
