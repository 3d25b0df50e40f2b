/** The portal's own way to a service, where the browser may not ask it and the visitor may use the proxy. */

import type { Drawn } from "./drawn";

const PREFIX = document.querySelector<HTMLElement>("[data-map]")?.dataset["proxy"] ?? "";

export const hasProxy = Boolean(PREFIX);

/** Is it a page over https that shows a service without? Browsers refuse that. */
export function isMixed(drawn: Drawn): boolean {
  return location.protocol === "https:" && drawn.url.startsWith("http:");
}

export function throughProxy(drawn: Drawn, url: string): string {
  return `${PREFIX}${encodeURIComponent(drawn.service)}?${new URLSearchParams({ url })}`;
}

/** Ask the service itself; the portal where the browser is not let. */
export async function fetchDirectly(drawn: Drawn, url: string, headers: HeadersInit = {}): Promise<{ answer: Response; isProxied: boolean }> {
  if (!(hasProxy && isMixed(drawn))) {
    try {
      return { answer: await fetch(url, { headers }), isProxied: false };
    } catch (error) {
      if (!hasProxy) throw error;
    }
  }
  return { answer: await fetch(throughProxy(drawn, url), { headers }), isProxied: true };
}
