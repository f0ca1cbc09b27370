/** Projects in addresses: `/p/<slug>/jobs`. Users with one project may leave it out. */
export function projectIn(pathname: string): string | null {
  const found = /^\/p\/([^/]+)(?:\/|$)/.exec(pathname);
  return found?.[1] ? decodeURIComponent(found[1]) : null;
}

export function basename(slug: string): string {
  return `/p/${encodeURIComponent(slug)}`;
}

/** The same page of another project. Ids are of one project, so only the page's first step is kept. */
export function pathIn(slug: string, pathname: string): string {
  const rest = pathname.replace(/^\/p\/[^/]+/, "");
  const first = /^\/[^/]*/.exec(rest)?.[0] ?? "/";
  return `${basename(slug)}${first === "/" ? "" : first}`;
}
