// Before anything is painted, so that a dark page never flashes white. Kept in step with src/lib/theme.ts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("horae.theme");
  } catch {
    // storage may be forbidden
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
