/** A map of the hosts of services: a circle at each place, larger where there are more; new ones pop up. */

import OlMap from "ol/Map.js";
import View from "ol/View.js";
import Feature from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import type { FeatureLike } from "ol/Feature.js";
import { defaults as defaultControls } from "ol/control/defaults.js";
import { defaults as defaultInteractions } from "ol/interaction/defaults.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import Text from "ol/style/Text.js";
import { baseMap } from "./outlines";
import { readPalette } from "./palette";
import { t } from "./texts";

const WORLD = [-165, -55, 180, 78];
const POP_MS = 2_500;
const LABEL_FROM = 10;

export class HostMap {
  total = 0;
  private readonly source = new VectorSource({ wrapX: true });
  private palette = readPalette();

  constructor(target: HTMLElement, places: readonly (readonly [number, number, number])[]) {
    for (const [lon, lat, count] of places) this.put(lon, lat, count);
    const points = new VectorLayer({ source: this.source, style: (feature) => this.style(feature) });
    const outlines = baseMap(() => this.palette).layers;
    const map = new OlMap({
      target,
      layers: [...outlines, points],
      controls: defaultControls({
        attribution: false,
        rotate: false,
        zoomOptions: { zoomInTipLabel: t("Zoom in"), zoomOutTipLabel: t("Zoom out") },
      }),
      interactions: defaultInteractions({ altShiftDragRotate: false, pinchRotate: false, mouseWheelZoom: false }),
      view: new View({
        projection: "EPSG:4326",
        center: [0, 15],
        zoom: 0,
        maxZoom: 9,
        enableRotation: false,
        multiWorld: true,
        extent: [-540, -90, 540, 90],
        constrainOnlyCenter: true,
      }),
    });
    showWorld(map, target);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.palette = readPalette();
      [...outlines, points].forEach((layer) => layer.changed());
    });
  }

  /** One more service at this place. */
  add(lon: number, lat: number): void {
    const feature = this.put(lon, lat, 1);
    feature.set("fresh", true);
    window.setTimeout(() => feature.set("fresh", false), POP_MS);
  }

  private put(lon: number, lat: number, count: number): Feature {
    this.total += count;
    const id = `${lon},${lat}`;
    const known = this.source.getFeatureById(id);
    if (known instanceof Feature) {
      known.set("count", Number(known.get("count")) + count);
      return known;
    }
    const made = new Feature({ geometry: new Point([lon, lat]), count });
    made.setId(id);
    this.source.addFeature(made);
    return made;
  }

  private style(feature: FeatureLike): Style {
    const count = Number(feature.get("count"));
    const fresh = Boolean(feature.get("fresh"));
    const color = fresh ? this.palette.lit : this.palette.hit;
    const radius = Math.min(4 + 2.2 * Math.sqrt(count), 26) + (fresh ? 3 : 0);
    const label = count >= LABEL_FROM ? { text: new Text({ text: String(count), fill: new Fill({ color: this.palette["hit-ink"] }), font: "600 11px system-ui" }) } : {};
    return new Style({
      image: new CircleStyle({
        radius,
        fill: new Fill({ color: withAlpha(color, count >= LABEL_FROM ? 0.85 : 0.6) }),
        stroke: new Stroke({ color: this.palette.land, width: 1.5 }),
      }),
      zIndex: fresh ? 1000 : count,
      ...label,
    });
  }
}

/** The whole world, whatever size the page gives the map, until somebody has moved it. */
function showWorld(map: OlMap, target: HTMLElement): void {
  let isTouched = false;
  const fit = (): void => {
    const size = map.getSize();
    if (!isTouched && size?.[0] && size[1]) map.getView().fit(WORLD, { size });
  };
  for (const name of ["pointerdown", "keydown"]) {
    target.addEventListener(name, () => (isTouched = true), { once: true });
  }
  map.on("change:size", fit);
  fit();
}

function withAlpha(color: string, alpha: number): string {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (!hex) return color;
  const [red, green, blue] = hex.slice(1).map((part) => parseInt(part, 16));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
