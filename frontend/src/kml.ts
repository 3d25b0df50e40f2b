/** Follows the network links of a KML file within bounds: to files of the same server alone, each once. */

const MAX_FILES = 12;

/** The bodies of the files that it leads to, the nearest first; one that does not come is left out. */
export async function linkedFiles(url: string, body: string, read: (url: string) => Promise<string>): Promise<string[]> {
  const known = new Set([url]);
  const found: string[] = [];
  let level = linksOf(body, url, known);
  while (level.length) {
    const asked = await Promise.all(level.map(async (each) => ({ each, text: await read(each).catch(() => "") })));
    found.push(...asked.map(({ text }) => text).filter(Boolean));
    level = asked.flatMap(({ each, text }) => linksOf(text, each, known));
  }
  return found;
}

function linksOf(body: string, base: string, known: Set<string>): string[] {
  const file = new DOMParser().parseFromString(body, "application/xml");
  const found: string[] = [];
  for (const link of file.getElementsByTagNameNS("*", "NetworkLink")) {
    const href = link.getElementsByTagNameNS("*", "href")[0]?.textContent?.trim() ?? "";
    const url = URL.canParse(href, base) ? new URL(href, base) : undefined;
    if (!href || !url || url.origin !== new URL(base).origin) continue;
    if (known.has(url.href) || known.size >= MAX_FILES) continue;
    known.add(url.href);
    found.push(url.href);
  }
  return found;
}
