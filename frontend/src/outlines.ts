/** The base map: outlines of countries from our own origin, finer ones once somebody looks closely. */

import VectorImageLayer from "ol/layer/VectorImage.js";
import VectorSource from "ol/source/Vector.js";
import GeoJSON from "ol/format/GeoJSON.js";
import Feature from "ol/Feature.js";
import LineString from "ol/geom/LineString.js";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import coarseUrl from "world-atlas/countries-110m.json?url";
import fineUrl from "world-atlas/countries-50m.json?url";
import { unwrapAll } from "./antimeridian";
import { gridStyle, landStyle } from "./palette";
import type { Palette } from "./palette";

/** Degrees a pixel: below this the coarse outlines show their corners. */
const FINE_BELOW = 0.12;
const GRID_STEP = 30;

type OutlineLayer = VectorImageLayer<VectorSource>;

export interface BaseMap {
  readonly layers: OutlineLayer[];
  readonly countries: VectorSource; // the coarse ones
}

export function baseMap(palette: () => Palette): BaseMap {
  const land = () => landStyle(palette());
  const coarseSource = outlineSource(coarseUrl);
  const coarse = new VectorImageLayer({ source: coarseSource, style: land });
  const fineSource = outlineSource(fineUrl);
  const fine = new VectorImageLayer({ source: fineSource, style: land, maxResolution: FINE_BELOW });
  // Until the fine outlines are there, the coarse ones are better than an empty sea.
  fineSource.once("featuresloadend", () => coarse.setMinResolution(FINE_BELOW));
  const grid = new VectorImageLayer({ source: gridSource(), style: () => gridStyle(palette()) });
  return { layers: [grid, coarse, fine], countries: coarseSource };
}

/** Meridians and parallels, straight in this projection. */
function gridSource(): VectorSource {
  const lines: LineString[] = [];
  for (let x = -180; x < 180; x += GRID_STEP) lines.push(new LineString([[x, -90], [x, 90]]));
  for (let y = -90; y <= 90; y += GRID_STEP) lines.push(new LineString([[-180, y], [180, y]]));
  return new VectorSource({ wrapX: true, features: lines.map((line) => new Feature(line)) });
}

function outlineSource(url: string): VectorSource {
  const source: VectorSource = new VectorSource({
    wrapX: true,
    loader: (extent, _resolution, _projection, success, failure) => {
      loadCountries(url).then(
        (features) => {
          source.addFeatures(features);
          success?.(features);
        },
        () => {
          source.removeLoadedExtent(extent);
          failure?.();
        },
      );
    },
  });
  return source;
}

async function loadCountries(url: string) {
  const answer = await fetch(url);
  const topology = (await answer.json()) as Topology;
  const countries = topology.objects["countries"];
  if (!countries) throw new Error(`no countries in ${url}`);
  const collection = feature(topology, countries as GeometryCollection);
  return new GeoJSON().readFeatures(unwrapAll(collection));
}
