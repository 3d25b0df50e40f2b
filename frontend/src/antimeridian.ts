/** Outlines that cross the antimeridian, made fit for a flat map. */

import type { Feature, FeatureCollection, Polygon, Position } from "geojson";

/** The same features; polygons that leave -180…180 once unwrapped stand on both edges of the map. */
export function unwrapAll(collection: FeatureCollection): FeatureCollection {
  return { type: "FeatureCollection", features: collection.features.flatMap(unwrapFeature) };
}

function unwrapFeature(feature: Feature): Feature[] {
  const { geometry } = feature;
  if (geometry.type !== "Polygon" && geometry.type !== "MultiPolygon") return [feature];
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const coordinates = polygons.flatMap((polygon) => onBothEdges(polygon.map(unwrapRing)));
  return [{ ...feature, geometry: { type: "MultiPolygon", coordinates } }];
}

/** Neighbouring points are never half the globe apart: where they seem to be, the ring crosses. */
function unwrapRing(ring: Position[]): Position[] {
  let shift = 0;
  let before = ring[0]?.[0] ?? 0;
  const points = ring.map(([x = 0, y = 0]) => {
    if (x - before > 180) shift -= 360;
    if (x - before < -180) shift += 360;
    before = x;
    return [x + shift, y];
  });
  return shift === 0 ? points : closeAtPole(points);
}

/** A ring that goes once round the globe has a pole inside (Antarctica). */
function closeAtPole(points: Position[]): Position[] {
  const first = points[0]!;
  const last = points.at(-1)!;
  const pole = first[1]! < 0 ? -90 : 90;
  return [...points, [last[0]!, pole], [first[0]!, pole], first];
}

function onBothEdges(polygon: Polygon["coordinates"]): Polygon["coordinates"][] {
  const xs = (polygon[0] ?? []).map((point) => point[0]!);
  const copies = [polygon];
  if (Math.max(...xs) > 180) copies.push(shifted(polygon, -360));
  if (Math.min(...xs) < -180) copies.push(shifted(polygon, 360));
  return copies;
}

function shifted(polygon: Polygon["coordinates"], by: number): Polygon["coordinates"] {
  return polygon.map((ring) => ring.map((point) => [point[0]! + by, point[1]!]));
}
