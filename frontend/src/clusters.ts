/** Where services are: counts by cells of the grid that fits the view, counted by the portal. */

import type OlMap from "ol/Map.js";
import Feature from "ol/Feature.js";
import type { FeatureLike } from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import Text from "ol/style/Text.js";
import type { Palette } from "./palette";
import { selectItem } from "./boxes";
import { t } from "./texts";

interface Placed {
  readonly groups: readonly { lon: number; lat: number; count: number; service: string }[];
  readonly total: number;
  readonly worldwide: number;
  readonly unplaced: number;
}

const CELL_PX = 64;
const SHORT = new Intl.NumberFormat(document.documentElement.lang || "en", { notation: "compact" });

export function showClusters(map: OlMap, address: string, palette: () => Palette, note: HTMLElement | null): VectorLayer {
  const source = new VectorSource({ wrapX: true });
  const layer = new VectorLayer({ source, style: (feature) => clusterStyle(feature, palette()), declutter: true, zIndex: 33 });
  let shown = 0;
  const load = async () => {
    const cell = cellFor(map.getView().getResolution() ?? 1);
    if (cell === shown) return;
    shown = cell;
    const separator = address.includes("?") ? "&" : "?";
    const answer = await fetch(`${address}${separator}cell=${cell}`);
    if (!answer.ok || cell !== shown) return;
    const placed = (await answer.json()) as Placed;
    source.clear();
    source.addFeatures(
      placed.groups.map(({ lon, lat, count, service }) => new Feature({ geometry: new Point([lon, lat]), count, service })),
    );
    map.getTargetElement().dataset["clustersShown"] = String(placed.groups.length);
    if (note) explain(note, placed, map.getTargetElement().dataset["map"] === "world");
  };
  map.addLayer(layer);
  map.on("moveend", () => void load());
  return layer;
}

/** Zoom into a group; open the page of a single service. */
export function openCluster(map: OlMap, feature: FeatureLike): void {
  const service = String(feature.get("service") ?? "");
  const hit = service && document.querySelector(`[data-hit="${service}"]`);
  if (hit instanceof HTMLElement) return selectItem(hit);
  if (service) return location.assign(`/services/${encodeURIComponent(service)}`);
  const view = map.getView();
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const center = (feature.getGeometry() as Point).getCoordinates();
  view.animate({ center, zoom: (view.getZoom() ?? 1) + 2, duration: still ? 0 : 250 });
}

/** Steps of halves, so that moving the map a little does not count anew. */
function cellFor(resolution: number): number {
  const wanted = Math.max(1 / 64, Math.min(32, resolution * CELL_PX));
  return Number((2 ** Math.round(Math.log2(wanted))).toPrecision(6));
}

/** On the page of the map nothing else says how many were found. */
function explain(note: HTMLElement, placed: Placed, isAlone: boolean): void {
  const parts = [];
  if (isAlone) parts.push(placed.total ? t("Services: {n}", { n: SHORT.format(placed.total) }) : t("No results"));
  if (placed.worldwide) parts.push(t("{n} world-wide", { n: SHORT.format(placed.worldwide) }));
  if (placed.unplaced) parts.push(t("{n} without a place", { n: SHORT.format(placed.unplaced) }));
  note.textContent = parts.join(" · ");
  note.hidden = parts.length === 0;
}

function clusterStyle(feature: FeatureLike, palette: Palette): Style {
  const count = Number(feature.get("count"));
  const radius = count === 1 ? 6 : Math.min(10 + Math.log10(count) * 6, 26);
  return new Style({
    image: new CircleStyle({
      radius,
      declutterMode: "obstacle",
      fill: new Fill({ color: palette.hit }),
      stroke: new Stroke({ color: palette.land, width: 2 }),
    }),
    ...(count > 1
      ? { text: new Text({ declutterMode: "none", text: SHORT.format(count), font: "600 12px system-ui, sans-serif", fill: new Fill({ color: palette["hit-ink"] }) }) }
      : {}),
    zIndex: count,
  });
}
