import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

/** Class names together; of two that say opposite things the later one holds. */
export function cn(...inputs: ClassValue[]): string {
  return twMerge(clsx(inputs));
}
