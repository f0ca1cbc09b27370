export function Brand() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg aria-hidden viewBox="0 0 32 32" className="size-6">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <circle cx="16" cy="16" r="9" className="fill-none stroke-on-accent" strokeWidth="2.5" />
        <path
          d="M16 10.5V16l4 2.5"
          className="fill-none stroke-on-accent"
          strokeWidth="2.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Horae
    </span>
  );
}
