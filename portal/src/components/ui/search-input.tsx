import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";
import { Input } from "./input";

interface SearchInputProps {
  value: string;
  /** Called when the user stops typing for a moment. */
  onValue: (value: string) => void;
  label: string;
  className?: string;
}

const PAUSE = 200; // ms

/** The field that `/` focuses. */
export function SearchInput({ value, onValue, label, className }: SearchInputProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onValue(text);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text, onValue]);
  return (
    <span className={cn("relative block", className)}>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
      <Input
        type="search"
        data-page-search
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-8"
      />
    </span>
  );
}
