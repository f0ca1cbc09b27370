/** localStorage where it is allowed; without it, nothing is remembered. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`horae.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`horae.${name}`);
    else localStorage.setItem(`horae.${name}`, value);
  } catch {
    // a browser that keeps nothing still works
  }
}
