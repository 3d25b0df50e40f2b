/** The map: a labelled world, counts or boxes of what was found, the box of the search, and layers of services. */

import OlMap from "ol/Map.js";
import View from "ol/View.js";
import type Feature from "ol/Feature.js";
import type Point from "ol/geom/Point.js";
import { createEmpty, extend, getHeight, getWidth, isEmpty } from "ol/extent.js";
import type { Extent } from "ol/extent.js";
import Attribution from "ol/control/Attribution.js";
import { defaults as defaultControls } from "ol/control/defaults.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import { listBoxes, selectSmallest } from "./boxes";
import { openCluster, showClusters } from "./clusters";
import type { Drawn } from "./drawn";
import { showInfo } from "./info";
import { keepInAddress } from "./address";
import { showBase } from "./base";
import { LayerPanel } from "./layers";
import { bindPlace, ScaleLine, WorldButton, startView } from "./viewing";
import { labelLayer } from "./labels";
import { baseMap } from "./outlines";
import { boxStyle, readPalette } from "./palette";
import { bindRectangle } from "./rectangle";
import { t } from "./texts";

const TALLEST = 180; // degrees of latitude
const LEAST_ROOM = 3; // degrees around a small box: on empty land nothing says where it is
const WORLD: Extent = [-175, -58, 175, 80];

export function showMap(target: HTMLElement): void {
  target.hidden = false;
  const found = new VectorSource({ wrapX: true });
  const asked = new VectorSource({ wrapX: true });
  let palette = readPalette();
  const current = () => palette;
  const base = baseMap(current);
  const labels = labelLayer(current, base.countries);
  const foundLayer = new VectorLayer({ source: found, style: (f) => boxStyle(f, palette), zIndex: 30 });
  const askedLayer = new VectorLayer({ source: asked, style: (f) => boxStyle(f, palette), zIndex: 31 });
  labels.setZIndex(25);
  const map = new OlMap({
    target,
    layers: [...base.layers, labels, foundLayer, askedLayer],
    controls: defaultControls({ attribution: false, rotate: false, zoomOptions: { zoomInTipLabel: t("Zoom in"), zoomOutTipLabel: t("Zoom out") } }).extend([
      new ScaleLine({ minWidth: 56 }),
      new WorldButton(() => fit(map, new VectorSource(), new VectorSource())),
      new Attribution({ collapsible: false, attributions: "Natural Earth · GeoNames" }),
    ]),
    interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, mouseWheelZoom: target.dataset["map"] !== "service" }),
    view: worldView(),
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    palette = readPalette();
    map.getLayers().forEach((layer) => layer.changed());
  });
  listBoxes(target, found);
  const form = document.querySelector<HTMLFormElement>("#ask");
  if (target.dataset["map"] === "search" && form) bindRectangle(map, asked, form);
  const clusters = target.dataset["clusters"];
  const isFront = target.dataset["wholeWorld"] !== undefined;
  const note = document.querySelector<HTMLElement>("[data-map-note]");
  const clusterLayer = clusters ? showClusters(map, clusters, current, note) : undefined;
  if (isFront && clusterLayer) foundLayer.setStyle((f) => (f.get("lit") ? boxStyle(f, palette) : undefined));
  showBase(map, target.dataset["base"] ?? "");
  const panel = bindLayers(map, target.dataset["base"] ?? "", form);
  bindClicks(map, found, clusterLayer, panel);
  const look = () => {
    if (!startView(map)) fit(map, asked, found);
  };
  // Once: a map that grows for its list of layers stays where it is.
  if (map.getSize()?.[0]) look();
  else map.once("change:size", look);
  bindPlace(map);
  void showNamed(target, panel);
}

function worldView(): View {
  return new View({
    projection: "EPSG:4326",
    center: [0, 10],
    zoom: 0,
    maxZoom: 17,
    enableRotation: false,
    multiWorld: true,
    extent: [-540, -90, 540, 90],
    constrainOnlyCenter: true,
  });
}

/** A click selects a result, opens a group of services, or asks the layers on the map about the place. */
function bindClicks(map: OlMap, found: VectorSource, clusters: VectorLayer | undefined, panel: LayerPanel | undefined): void {
  const info = document.createElement("div");
  info.className = "map-info";
  info.hidden = true;
  info.setAttribute("role", "status");
  map.getTargetElement().parentElement?.append(info);
  map.on("singleclick", (event) => {
    const cluster = clusters && nearest(map, clusters, event.pixel);
    if (cluster) return openCluster(map, cluster);
    const boxes = found.getFeaturesAtCoordinate(event.coordinate);
    const ask = async () => {
      const isAnswered = panel ? await showInfo(map, panel, event, info) : false;
      if (!isAnswered) selectSmallest(boxes);
    };
    void ask();
  });
  map.on("pointermove", (event) => {
    if (event.dragging || !clusters) return;
    map.getTargetElement().classList.toggle("is-over", Boolean(nearest(map, clusters, event.pixel)));
  });
}

const NEAR_PX = 18;

/** The group whose circle is under the pointer; found by its place, since reading pixels back is slow. */
function nearest(map: OlMap, clusters: VectorLayer, pixel: number[]): Feature | undefined {
  const coordinate = map.getCoordinateFromPixel(pixel);
  const feature = coordinate && clusters.getSource()?.getClosestFeatureToCoordinate(coordinate);
  const at = feature && map.getPixelFromCoordinate((feature.getGeometry() as Point).getCoordinates());
  if (!at) return undefined;
  return Math.hypot(at[0]! - pixel[0]!, at[1]! - pixel[1]!) <= NEAR_PX ? feature : undefined;
}

/** The buttons that put layers on the map, and the list of those that are there. */
function bindLayers(map: OlMap, base: string, form: HTMLFormElement | null): LayerPanel | undefined {
  const place = document.querySelector<HTMLElement>("[data-layer-panel]");
  if (!place) return undefined;
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("[data-add]")];
  const drawnOf = (button: HTMLButtonElement) => JSON.parse(button.dataset["add"] ?? "{}") as Drawn;
  const panel: LayerPanel = new LayerPanel(map, place, base, () => {
    for (const button of buttons) {
      const isThere = panel.has(drawnOf(button));
      button.setAttribute("aria-pressed", String(isThere));
      button.textContent = isThere ? t("Take off the map") : t("Add to map");
    }
    keepInAddress({ map: panel.words(), base, swipe: panel.compared }, form);
  });
  for (const button of buttons) {
    button.hidden = false;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => void toggle(panel, drawnOf(button), button));
  }
  panel.show();
  return panel;
}

async function toggle(panel: LayerPanel, drawn: Drawn, button: HTMLButtonElement): Promise<void> {
  if (panel.has(drawn)) return panel.remove(drawn);
  const refused = await panel.add(drawn);
  if (!refused) return lookAt(button.closest(".hit") ? panel.target : undefined);
  const note = document.createElement("p");
  note.className = "note";
  note.setAttribute("role", "alert");
  note.textContent = refused;
  button.parentElement?.after(note);
  button.disabled = true;
}

/** Where the map does not stand beside the list, whoever puts something on it is led there. */
function lookAt(target: HTMLElement | undefined): void {
  if (!target || window.matchMedia("(min-width: 60rem)").matches) return;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  target.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
}

async function showNamed(target: HTMLElement, panel: LayerPanel | undefined): Promise<void> {
  const named = JSON.parse(target.dataset["drawn"] ?? "[]") as Drawn[];
  const swipe = target.dataset["swipe"] ?? "";
  for (const drawn of named) await panel?.add(drawn, target.dataset["map"] === "service");
  if (swipe) panel?.compareWith(swipe);
}

function fit(map: OlMap, asked: VectorSource, found: VectorSource): void {
  const size = map.getSize();
  if (!size || !size[0]) return;
  const extent = createEmpty();
  const local = found.getFeatures().filter((f) => f.get("role") !== "layer" && !f.get("isWorld"));
  const named = asked.isEmpty() ? local : asked.getFeatures();
  for (const feature of named) extend(extent, feature.getGeometry()!.getExtent());
  const wholeWorld = map.getTargetElement().dataset["wholeWorld"] !== undefined;
  if (wholeWorld && size[0]! > 2 * size[1]!) {
    // As wide as the page: the world once, from edge to edge.
    map.getView().setResolution(360 / size[0]!);
    map.getView().setCenter([0, 18]);
    return;
  }
  const useful = !wholeWorld && !isEmpty(extent) && getWidth(extent) < 180;
  map.getView().fit(useful ? padded(extent) : WORLD, { size, maxZoom: 7 });
  // A tall map of a flat world would be half empty: rather less of it.
  const highest = TALLEST / size[1]!;
  if ((map.getView().getResolution() ?? 0) > highest) {
    map.getView().setResolution(highest);
    map.getView().setCenter([map.getView().getCenter()![0]!, 5]);
  }
}

/** Room around a box; a point or a thin strip gets some of its own. */
function padded([west, south, east, north]: Extent): Extent {
  const x = Math.max(getWidth([west!, south!, east!, north!]) * 0.25, LEAST_ROOM);
  const y = Math.max(getHeight([west!, south!, east!, north!]) * 0.25, LEAST_ROOM);
  return [west! - x, Math.max(-90, south! - y), east! + x, Math.min(90, north! + y)];
}
