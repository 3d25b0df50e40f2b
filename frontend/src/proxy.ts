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

/** What the portal says of a service that it could not read either. */
export class Unread extends Error {}

/** Ask the service itself; the portal where the browser is not let. */
export async function fetchDirectly(drawn: Drawn, url: string, headers: HeadersInit = {}): Promise<{ answer: Response; isProxied: boolean }> {
  if (!(hasProxy && isMixed(drawn))) {
    try {
      return { answer: await fetch(url, { headers }), isProxied: false };
    } catch (error) {
      if (!hasProxy) throw error;
    }
  }
  return { answer: await askPortal(drawn, url, headers), isProxied: true };
}

/** The portal's answer; `Unread` with its reason where it has none. */
export async function askPortal(drawn: Drawn, url: string, headers: HeadersInit = {}): Promise<Response> {
  const answer = await fetch(throughProxy(drawn, url), { headers });
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as { detail?: string };
  throw new Unread(said.detail ?? `HTTP ${answer.status}`);
}
