/** The box of the search: drawn with the pointer, moved and sized with arrow keys, or the part of the map that is seen. */

import type OlMap from "ol/Map.js";
import type VectorSource from "ol/source/Vector.js";
import DragBox from "ol/interaction/DragBox.js";
import { getHeight, getWidth } from "ol/extent.js";
import { fromExtent, parseBox, toExtent } from "./box";
import type { Box } from "./box";
import { boxFeature } from "./boxes";
import { t } from "./texts";

const SIDES = ["west", "south", "east", "north"] as const;
const FOLLOW_MS = 700;
const FOLLOWING = "geohound-follows-map";

export function bindRectangle(map: OlMap, asked: VectorSource, form: HTMLFormElement): void {
  const tools = document.querySelector<HTMLElement>("[data-map-tools]");
  const draw = tools?.querySelector<HTMLButtonElement>("[data-draw]");
  const clear = tools?.querySelector<HTMLButtonElement>("[data-clear]");
  const follow = tools?.querySelector<HTMLButtonElement>("[data-follow]");
  const inputs = SIDES.map((side) => form.elements.namedItem(side)).filter((i) => i instanceof HTMLInputElement);
  if (!tools || !draw || !clear || inputs.length !== SIDES.length) return;
  tools.hidden = false;

  const typed = () => parseBox(inputs.map((input) => input.value).join(","));
  const showFields = () => {
    const box = typed();
    asked.clear();
    if (box) asked.addFeature(boxFeature(box, "asked"));
    clear.hidden = inputs.every((input) => input.value === "");
  };
  const setFields = (box: Box) => {
    inputs.forEach((input, index) => (input.value = String(box[index])));
    showFields();
  };
  const isDrawing = () => draw.getAttribute("aria-pressed") === "true";
  const setDrawing = (on: boolean) => {
    draw.setAttribute("aria-pressed", String(on));
    draw.textContent = on ? t("Drag on the map") : t("Draw a box");
    map.getTargetElement().classList.toggle("is-drawing", on);
  };

  const rectangle = new DragBox({ className: "rubber-band", condition: (e) => isDrawing() || e.originalEvent.shiftKey });
  rectangle.on("boxend", () => {
    setFields(fromExtent(rectangle.getGeometry().getExtent()));
    setDrawing(false);
    form.requestSubmit();
  });
  map.addInteraction(rectangle);
  draw.addEventListener("click", () => {
    setDrawing(!isDrawing());
    if (!isDrawing()) return;
    map.getTargetElement().focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") setDrawing(false);
  });
  bindKeys(map, { isDrawing, setDrawing, typed, setFields, submit: () => form.requestSubmit() });
  clear.addEventListener("click", () => {
    const searched = new URLSearchParams(location.search);
    inputs.forEach((input) => (input.value = ""));
    showFields();
    if (SIDES.some((side) => searched.has(side)) || searched.has("bbox")) form.requestSubmit();
  });
  inputs.forEach((input) => input.addEventListener("change", showFields));
  if (follow) bindFollowing(map, follow, (box) => { setFields(box); form.requestSubmit(); });
  showFields();
}

interface Keys {
  isDrawing(): boolean;
  setDrawing(on: boolean): void;
  typed(): Box | null;
  setFields(box: Box): void;
  submit(): void;
}

/** While a box is being drawn: arrow keys move it, with Shift they size it, Enter searches. */
function bindKeys(map: OlMap, keys: Keys): void {
  map.getTargetElement().addEventListener(
    "keydown",
    (event) => {
      if (!keys.isDrawing()) return;
      const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
      if (event.key === "Enter" && keys.typed()) {
        keys.setDrawing(false);
        keys.submit();
      } else if (x || y) {
        event.preventDefault();
        event.stopPropagation();
        const view = map.getView().calculateExtent();
        const step = getWidth(view) / 40;
        const box = keys.typed();
        const extent = box ? toExtent(box) : middleOf(view);
        const [west, south, east, north] = extent as [number, number, number, number];
        const sized = event.shiftKey;
        keys.setFields(fromExtent([sized ? west : west + x! * step, sized ? south : south + y! * step, east + x! * step, north + y! * step]));
      }
    },
    true,
  );
}

function middleOf([west, south, east, north]: number[]): [number, number, number, number] {
  const x = getWidth([west!, south!, east!, north!]) / 4;
  const y = getHeight([west!, south!, east!, north!]) / 4;
  return [west! + x, south! + y, east! - x, north! - y];
}

/** Where the visitor wants it, the box is what the map shows, once it stands still. */
function bindFollowing(map: OlMap, button: HTMLButtonElement, search: (box: Box) => void): void {
  const isOn = () => button.getAttribute("aria-pressed") === "true";
  let timer = 0;
  let isMovedByHand = false;
  button.setAttribute("aria-pressed", String(sessionStorage.getItem(FOLLOWING) === "1"));
  const seen = () => fromExtent(map.getView().calculateExtent());
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(!isOn()));
    sessionStorage.setItem(FOLLOWING, isOn() ? "1" : "0");
    if (isOn()) search(seen());
  });
  map.on("pointerdrag", () => (isMovedByHand = true));
  map.getViewport().addEventListener("wheel", () => (isMovedByHand = true), { passive: true });
  map.on("moveend", () => {
    window.clearTimeout(timer);
    if (isOn() && isMovedByHand) timer = window.setTimeout(() => search(seen()), FOLLOW_MS);
  });
}
