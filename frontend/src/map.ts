/** The map: world outlines, the boxes of what the page lists, and a rectangle tool bound to the form's four fields. */

import OlMap from "ol/Map.js";
import View from "ol/View.js";
import Feature from "ol/Feature.js";
import { fromExtent as polygonFromExtent } from "ol/geom/Polygon.js";
import { createEmpty, extend, getHeight, getWidth, isEmpty } from "ol/extent.js";
import type { Extent } from "ol/extent.js";
import { defaults as defaultControls } from "ol/control/defaults.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import DragBox from "ol/interaction/DragBox.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import { fromExtent, parseBox, toExtent } from "./box";
import type { Box } from "./box";
import { outlineLayers } from "./outlines";
import { boxStyle, readPalette } from "./palette";

const SIDES = ["west", "south", "east", "north"] as const;
const WORLD: Extent = [-175, -58, 175, 80];

export function showMap(target: HTMLElement): OlMap {
  target.hidden = false;
  const found = new VectorSource({ wrapX: true });
  const asked = new VectorSource({ wrapX: true });
  let palette = readPalette();
  const foundLayer = new VectorLayer({ source: found, style: (f) => boxStyle(f, palette) });
  const askedLayer = new VectorLayer({ source: asked, style: (f) => boxStyle(f, palette) });
  const outlines = outlineLayers(() => palette);
  const map = new OlMap({
    target,
    layers: [...outlines, foundLayer, askedLayer],
    controls: defaultControls({ attribution: false, rotate: false }),
    interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, mouseWheelZoom: true }),
    view: new View({
      projection: "EPSG:4326",
      center: [0, 10],
      zoom: 0,
      maxZoom: 12,
      enableRotation: false,
      multiWorld: true,
      extent: [-540, -90, 540, 90],
      constrainOnlyCenter: true,
    }),
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    palette = readPalette();
    [...outlines, foundLayer, askedLayer].forEach((layer) => layer.changed());
  });
  listBoxes(target, found);
  const form = document.querySelector<HTMLFormElement>("#ask");
  if (target.dataset["map"] === "search" && form) bindRectangle(map, asked, form);
  map.once("change:size", () => fit(map, asked, found));
  fit(map, asked, found);
  return map;
}

/** Draw the box of each listed item; pointing at or tabbing to the item lights its box up. */
function listBoxes(target: HTMLElement, source: VectorSource): void {
  const whole = parseBox(target.dataset["bbox"]);
  if (whole) source.addFeature(boxFeature(whole, "whole"));
  for (const item of document.querySelectorAll<HTMLElement>("main [data-bbox]:not([data-map])")) {
    const box = parseBox(item.dataset["bbox"]);
    if (!box) continue;
    const feature = boxFeature(box, item.matches(".hit") ? "hit" : "layer");
    source.addFeature(feature);
    const light = (on: boolean) => () => feature.set("lit", on);
    item.addEventListener("pointerenter", light(true));
    item.addEventListener("pointerleave", light(false));
    item.addEventListener("focusin", light(true));
    item.addEventListener("focusout", light(false));
  }
}

function boxFeature(box: Box, role: string): Feature {
  return new Feature({ geometry: polygonFromExtent(toExtent(box)), role });
}

function fit(map: OlMap, asked: VectorSource, found: VectorSource): void {
  const size = map.getSize();
  if (!size || !size[0]) return;
  const extent = createEmpty();
  const named = asked.isEmpty() ? found.getFeatures().filter((f) => f.get("role") !== "layer") : asked.getFeatures();
  for (const feature of named) extend(extent, feature.getGeometry()!.getExtent());
  const wholeWorld = map.getTargetElement().dataset["wholeWorld"] !== undefined;
  const useful = !wholeWorld && !isEmpty(extent) && getWidth(extent) < 180;
  map.getView().fit(useful ? padded(extent) : WORLD, { size, maxZoom: 7 });
}

/** Room around a box; a point or a thin strip gets some of its own. */
function padded([west, south, east, north]: Extent): Extent {
  const x = Math.max(getWidth([west!, south!, east!, north!]) * 0.25, 1);
  const y = Math.max(getHeight([west!, south!, east!, north!]) * 0.25, 1);
  return [west! - x, Math.max(-90, south! - y), east! + x, Math.min(90, north! + y)];
}

function bindRectangle(map: OlMap, asked: VectorSource, form: HTMLFormElement): void {
  const tools = document.querySelector<HTMLElement>("[data-map-tools]");
  const draw = tools?.querySelector<HTMLButtonElement>("[data-draw]");
  const clear = tools?.querySelector<HTMLButtonElement>("[data-clear]");
  const inputs = SIDES.map((side) => form.elements.namedItem(side)).filter((i) => i instanceof HTMLInputElement);
  if (!tools || !draw || !clear || inputs.length !== SIDES.length) return;
  tools.hidden = false;

  const showFields = () => {
    const box = parseBox(inputs.map((input) => input.value).join(","));
    asked.clear();
    if (box) asked.addFeature(boxFeature(box, "asked"));
    clear.hidden = inputs.every((input) => input.value === "");
  };
  const setDrawing = (on: boolean) => {
    draw.setAttribute("aria-pressed", String(on));
    draw.textContent = on ? "Drag on the map" : "Draw a box";
    map.getTargetElement().classList.toggle("is-drawing", on);
  };
  const isDrawing = () => draw.getAttribute("aria-pressed") === "true";

  const rectangle = new DragBox({ className: "rubber-band", condition: (e) => isDrawing() || e.originalEvent.shiftKey });
  rectangle.on("boxend", () => {
    const box = fromExtent(rectangle.getGeometry().getExtent());
    inputs.forEach((input, index) => (input.value = String(box[index])));
    setDrawing(false);
    showFields();
    form.requestSubmit();
  });
  map.addInteraction(rectangle);
  draw.addEventListener("click", () => setDrawing(!isDrawing()));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") setDrawing(false);
  });
  clear.addEventListener("click", () => {
    const searched = new URLSearchParams(location.search);
    inputs.forEach((input) => (input.value = ""));
    showFields();
    if (SIDES.some((side) => searched.has(side)) || searched.has("bbox")) form.requestSubmit();
  });
  inputs.forEach((input) => input.addEventListener("change", showFields));
  showFields();
}
