let page = "";
let waiting = 0;

/** Names the page in the tab of the browser. */
export function namePage(title: string): void {
  page = title;
  document.title = titleOf(page, waiting);
}

/** Puts before it how much needs attention. */
export function countInTitle(count: number): void {
  waiting = count;
  document.title = titleOf(page, waiting);
}

export function titleOf(title: string, count: number): string {
  const counted = count > 0 ? `(${count > 99 ? "99+" : count}) ` : "";
  return title ? `${counted}${title} · Horae` : `${counted}Horae`;
}
