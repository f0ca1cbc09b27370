/** Keyboard shortcuts: `g j`, `mod+k`. */
export function Kbd({ keys }: { keys: string }) {
  const mac = /Mac|iPhone|iPad/.test(navigator.platform);
  const parts = keys.replace("mod+", mac ? "⌘ " : "Ctrl ").split(" ");
  return (
    <span className="inline-flex gap-1">
      {parts.map((part) => (
        <kbd
          key={part}
          className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-mono text-xs text-muted"
        >
          {part.length === 1 && /[a-z]/.test(part) ? part.toUpperCase() : part}
        </kbd>
      ))}
    </span>
  );
}
