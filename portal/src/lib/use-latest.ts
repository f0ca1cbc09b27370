import { type RefObject, useEffect, useRef } from "react";

/** The newest value, for callbacks that stay the same. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value);
  useEffect(() => {
    ref.current = value;
  });
  return ref;
}
