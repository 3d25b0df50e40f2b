/** What the address of the page says of the map: its layers, its base layer, what they are compared with. */

export interface MapState {
  readonly map: readonly string[];
  readonly base: string;
  readonly swipe: string;
}

const NAMES = ["map", "base", "swipe"] as const;

/** The layers stay while one goes on searching, and a copied address shows the same. */
export function keepInAddress(state: MapState, form: HTMLFormElement | null): void {
  const address = new URL(location.href);
  setState(address.searchParams, state);
  address.searchParams.delete("show");
  history.replaceState(history.state, "", address);
  const fields = form?.querySelector("[data-drawn-fields]");
  if (!fields) return;
  fields.replaceChildren(...pairs(state).map(([name, value]) => hidden(name, value)));
  // Links to other searches of this page take the layers along.
  for (const link of document.querySelectorAll<HTMLAnchorElement>("main a[href^='/?'], main a[href='/']")) {
    const to = new URL(link.href);
    setState(to.searchParams, state);
    link.href = `${to.pathname}${to.search}${to.hash}`;
  }
}

function setState(params: URLSearchParams, state: MapState): void {
  NAMES.forEach((name) => params.delete(name));
  pairs(state).forEach(([name, value]) => params.append(name, value));
}

function pairs(state: MapState): [string, string][] {
  const layers = state.map.map((word): [string, string] => ["map", word]);
  const others: [string, string][] = [["base", state.base], ["swipe", state.swipe]];
  return [...layers, ...others.filter(([, value]) => value)];
}

export function hidden(name: string, value: string): HTMLInputElement {
  const field = document.createElement("input");
  return Object.assign(field, { type: "hidden", name, value });
}
