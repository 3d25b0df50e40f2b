/** Where the map looks: kept in the address of the map page, led by the name of a place, and back to the whole world. */

import type OlMap from "ol/Map.js";
import Control from "ol/control/Control.js";
import ScaleLine from "ol/control/ScaleLine.js";
import { hidden } from "./address";
import { toExtent } from "./box";
import type { Box } from "./box";
import { t } from "./texts";

export { ScaleLine };
const NAME = "at"; // zoom/latitude/longitude

const GLOBE =
  '<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.7" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3.600 6 3.600 9s-.6 6-3.600 9c-3-3-3.600-6-3.600-9s.6-6 3.600-9"/></svg>';

/** A button below those that zoom. */
export class WorldButton extends Control {
  constructor(show: () => void) {
    const button = document.createElement("button");
    button.type = "button";
    button.innerHTML = GLOBE;
    button.title = t("Whole world");
    button.setAttribute("aria-label", t("Whole world"));
    button.addEventListener("click", show);
    const element = document.createElement("div");
    element.className = "ol-world ol-unselectable";
    element.append(button);
    super({ element });
  }
}

/** The view that the address asks for, on the page of the map. */
export function startView(map: OlMap): boolean {
  if (map.getTargetElement().dataset["map"] !== "world") return false;
  const numbers = (new URLSearchParams(location.search).get(NAME) ?? "").split("/").map(Number);
  const [zoom, latitude, longitude] = numbers;
  if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return false;
  map.getView().setZoom(zoom!);
  map.getView().setCenter([longitude!, Math.max(-90, Math.min(90, latitude!))]);
  return true;
}

/** The name of a place leads the map there; where it looks is kept in the address. */
export function bindPlace(map: OlMap): void {
  const form = document.querySelector<HTMLFormElement>(".map-search");
  if (!form || map.getTargetElement().dataset["map"] !== "world") return;
  const field = hidden(NAME, "");
  field.disabled = true;
  form.append(field);
  form.addEventListener("geohound:place", (event) => {
    event.preventDefault();
    const box = (event as CustomEvent<Box>).detail;
    map.getView().fit(toExtent(box), { padding: [60, 40, 40, 40], maxZoom: 9 });
  });
  let isFirst = true;
  map.on("moveend", () => {
    const view = map.getView();
    const [longitude, latitude] = view.getCenter() ?? [0, 0];
    const at = `${(view.getZoom() ?? 0).toFixed(2)}/${latitude!.toFixed(3)}/${longitude!.toFixed(3)}`;
    if (isFirst) {
      isFirst = false;
      return;
    }
    const address = new URL(location.href);
    address.searchParams.set(NAME, at);
    history.replaceState(history.state, "", address.href.replaceAll("%2F", "/"));
    field.value = at;
    field.disabled = false;
  });
}
