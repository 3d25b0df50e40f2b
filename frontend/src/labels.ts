/** Names on the base map: countries where they are large enough, capitals, and cities once somebody looks closely. */

import Feature from "ol/Feature.js";
import type { FeatureLike } from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import MultiPolygon from "ol/geom/MultiPolygon.js";
import Polygon from "ol/geom/Polygon.js";
import { getArea } from "ol/extent.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import Text from "ol/style/Text.js";
import type { Palette } from "./palette";

type LabelledCity = readonly [name: string, x: number, y: number, thousands: number, capital: number];
const LABELS = "/static/labels.json";
const FONT = "system-ui, sans-serif";

/** Filled by the countries of the outlines, and by the list of cities. */
export function labelLayer(palette: () => Palette, countries: VectorSource): VectorLayer {
  const source = new VectorSource({ wrapX: true });
  countries.on("featuresloadend", () => source.addFeatures(countries.getFeatures().flatMap(countryLabel)));
  void loadCities(source);
  return new VectorLayer({
    source,
    declutter: true,
    style: (feature, resolution) => labelStyle(feature, resolution, palette()),
  });
}

function countryLabel(country: Feature): Feature[] {
  const geometry = country.getGeometry();
  const name: unknown = country.get("name");
  if (typeof name !== "string" || !(geometry instanceof MultiPolygon)) return [];
  const parts = geometry.getPolygons();
  const largest = parts.reduce((best, part) => (extentArea(part) > extentArea(best) ? part : best));
  const place = largest.getInteriorPoint().getCoordinates();
  if (Math.abs(place[0]!) > 180) return [];
  return [new Feature({ geometry: new Point(place.slice(0, 2)), name, size: Math.sqrt(extentArea(largest)) })];
}

function extentArea(part: Polygon): number {
  return getArea(part.getExtent());
}

async function loadCities(source: VectorSource): Promise<void> {
  const answer = await fetch(LABELS);
  if (!answer.ok) return;
  const cities = (await answer.json()) as LabelledCity[];
  source.addFeatures(
    cities.map(([name, x, y, thousands, capital]) => new Feature({ geometry: new Point([x, y]), name, thousands, capital })),
  );
}

function labelStyle(feature: FeatureLike, resolution: number, palette: Palette): Style | undefined {
  const name = String(feature.get("name"));
  const size: unknown = feature.get("size");
  if (typeof size === "number") {
    // Its name must fit into the country.
    if (size / resolution < name.length * 5.5) return undefined;
    return new Style({ text: text(name, palette.country, palette, `600 11px ${FONT}`, 0), zIndex: 1000 + size });
  }
  const thousands = Number(feature.get("thousands"));
  const isCapital = Boolean(feature.get("capital"));
  if (resolution > 0.16 || (!isCapital && thousands < 24_000 * resolution)) return undefined;
  return new Style({
    image: new CircleStyle({
      radius: isCapital ? 2.6 : 1.8,
      fill: new Fill({ color: isCapital ? palette.city : palette.land }),
      stroke: new Stroke({ color: palette.city, width: 1 }),
    }),
    text: text(name, palette.city, palette, `${isCapital ? 600 : 400} 11px ${FONT}`, 10),
    zIndex: thousands / 100 + (isCapital ? 500 : 0),
  });
}

function text(label: string, color: string, palette: Palette, font: string, offsetY: number): Text {
  return new Text({
    text: label,
    font,
    offsetY,
    fill: new Fill({ color }),
    stroke: new Stroke({ color: palette.land, width: 2.5 }),
    padding: [2, 4, 2, 4],
  });
}
