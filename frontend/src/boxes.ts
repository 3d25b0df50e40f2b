/** The boxes of what the page lists: pointing at an item lights its box up, a click on a box selects its item. */

import Feature from "ol/Feature.js";
import { fromExtent as polygonFromExtent } from "ol/geom/Polygon.js";
import { getArea, getHeight, getWidth } from "ol/extent.js";
import type VectorSource from "ol/source/Vector.js";
import { parseBox, toExtent } from "./box";
import type { Box } from "./box";

export function listBoxes(target: HTMLElement, source: VectorSource): void {
  const whole = parseBox(target.dataset["bbox"]);
  if (whole) source.addFeature(boxFeature(whole, "whole"));
  for (const item of document.querySelectorAll<HTMLElement>("main [data-bbox]:not([data-map])")) {
    const box = parseBox(item.dataset["bbox"]);
    if (!box) continue;
    const isHit = item.matches(".hit");
    const feature = boxFeature(box, isHit ? "hit" : "layer");
    if (isHit) feature.set("item", item);
    source.addFeature(feature);
    const light = (on: boolean) => () => feature.set("lit", on || item.classList.contains("is-selected"));
    item.addEventListener("pointerenter", light(true));
    item.addEventListener("pointerleave", light(false));
    item.addEventListener("focusin", light(true));
    item.addEventListener("focusout", light(false));
    if (isHit) item.addEventListener("geohound:select", () => select(source, item));
    if (isHit) item.addEventListener("click", (event) => {
      if (!(event.target instanceof Element && event.target.closest("a, button, input, summary"))) select(source, item);
    });
  }
}

export function boxFeature(box: Box, role: string): Feature {
  const extent = toExtent(box);
  const isWorld = getWidth(extent) >= 300 && getHeight(extent) >= 110;
  return new Feature({ geometry: polygonFromExtent(extent), role, isWorld });
}

/** The item of the smallest of these boxes becomes the selected one. */
export function selectSmallest(features: Feature[]): boolean {
  const hits = features.filter((feature) => feature.get("item") && !feature.get("isWorld"));
  const size = (feature: Feature) => getArea(feature.getGeometry()!.getExtent());
  const [smallest] = hits.sort((a, b) => size(a) - size(b));
  if (!smallest) return false;
  selectItem(smallest.get("item") as HTMLElement);
  return true;
}

/** The item becomes the selected one, and comes into view; its box lights up. */
export function selectItem(item: HTMLElement): void {
  item.dispatchEvent(new Event("geohound:select"));
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  item.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
}

function select(source: VectorSource, item: HTMLElement): void {
  document.querySelectorAll(".hit.is-selected").forEach((other) => other.classList.remove("is-selected"));
  item.classList.add("is-selected");
  for (const feature of source.getFeatures()) if (feature.get("item")) feature.set("lit", feature.get("item") === item);
}
