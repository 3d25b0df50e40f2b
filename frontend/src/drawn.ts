/** Makes a map layer from what the portal says of a service's layer; the browser asks the service itself. */

import type { Extent } from "ol/extent.js";
import type BaseLayer from "ol/layer/Base.js";
import type Projection from "ol/proj/Projection.js";
import type RenderFeature from "ol/render/Feature.js";
import type VectorTile from "ol/VectorTile.js";
import ImageLayer from "ol/layer/Image.js";
import TileLayer from "ol/layer/Tile.js";
import VectorLayer from "ol/layer/Vector.js";
import ImageArcGISRest from "ol/source/ImageArcGISRest.js";
import ImageStatic from "ol/source/ImageStatic.js";
import ImageWMS from "ol/source/ImageWMS.js";
import VectorSource from "ol/source/Vector.js";
import XYZ from "ol/source/XYZ.js";
import GeoJSON from "ol/format/GeoJSON.js";
import CircleStyle from "ol/style/Circle.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";
import { parseBox, toExtent } from "./box";
import { linkedFiles } from "./kml";
import { askPortal, fetchDirectly, hasProxy, isMixed, throughProxy, Unread } from "./proxy";
import { t } from "./texts";

export interface Drawn {
  readonly type: string;
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  readonly legend: string;
  readonly service: string;
  readonly kind: string;
  readonly layer: string;
  readonly title: string;
  readonly provider: string;
  readonly bbox: string;
  readonly opacity: number;
}

export type Say = (text: string, isTrouble?: boolean) => void;
const MAX_FEATURES = 5000;
const COLOURS = ["#b4430b", "#7b3fa0", "#1668a8", "#a8860b", "#0b7a5c", "#a0305f"];
let coloured = 0;

export function refusal(drawn: Drawn): string {
  if (isMixed(drawn) && !hasProxy)
    return t("The service is not encrypted, and browsers refuse that on an encrypted page. Open it in a program instead.");
  return "";
}

/** The layer, or nothing where this browser cannot draw it; `say` hears how it goes. */
export async function makeLayer(drawn: Drawn, say: Say): Promise<BaseLayer | undefined> {
  const { url, params } = drawn;
  const way: Way = {};
  switch (drawn.type) {
    case "wms": {
      const { CRS: crs = "", ...rest } = params;
      const projection = crs === "EPSG:3857" ? crs : "EPSG:4326";
      return imageLayer(new ImageWMS({ url, params: { ...rest, TRANSPARENT: "TRUE" }, projection, ratio: 1, imageLoadFunction: imageLoader(drawn, way) }), way, say);
    }
    case "arcgis": {
      const shown = params["LAYERS"] ? { LAYERS: params["LAYERS"] } : {};
      return imageLayer(new ImageArcGISRest({ url, params: shown, ratio: 1, imageLoadFunction: imageLoader(drawn, way) }), way, say);
    }
    case "image": {
      const box = parseBox(drawn.bbox);
      return box ? imageLayer(new ImageStatic({ url, imageExtent: toExtent(box), projection: "EPSG:4326", imageLoadFunction: imageLoader(drawn, way) }), way, say) : undefined;
    }
    case "xyz":
      return tileLayer(drawn, say);
    case "mvt":
      return vectorTiles(drawn, say);
    case "geojson":
    case "gml":
    case "kml":
      return featureLayer(drawn, say);
    default:
      return undefined;
  }
}

const DRAWN = () => t("Drawn by the service itself.");
const PROXIED = () => t("Read through this portal: your browser gets no answer from the service, or may not read it.");
const NOTHING = () => t("The service answered, but with no feature to draw.");
const LINKS = () => t("This file has no features of its own: it links to others. Open it in a program instead.");
const FAILED = () => t("The service did not answer with anything that can be drawn here.");

/** How the pictures of one layer come, as far as it has shown. */
interface Way {
  isProxied?: boolean;
  trouble?: string;
}

function imageLayer(source: ImageWMS | ImageArcGISRest | ImageStatic, way: Way, say: Say): BaseLayer {
  source.on("imageloadend", () => say(way.isProxied ? PROXIED() : DRAWN()));
  source.on("imageloaderror", () => say(way.trouble ?? FAILED(), true));
  return new ImageLayer({ source });
}

function imageLoader(drawn: Drawn, way: Way) {
  return (image: { getImage(): unknown }, url: string) => void loadPicture(image.getImage() as HTMLImageElement, drawn, url, way);
}

/** Pictures come from the service itself; where the browser gets none, the portal asks for it if it may.

 OpenLayers hears of the first address of a picture alone: it gets one that has been tried. */
async function loadPicture(picture: HTMLImageElement, drawn: Drawn, url: string, way: Way): Promise<void> {
  if (hasProxy && isMixed(drawn)) way.isProxied = true;
  if (hasProxy && way.isProxied === undefined && (await isPicture(url))) way.isProxied = false;
  if (!hasProxy || way.isProxied === false) {
    picture.src = url;
    return;
  }
  try {
    await (await askPortal(drawn, url)).blob();
    way.isProxied = true;
    picture.src = throughProxy(drawn, url); // kept by the browser from a moment ago
  } catch (error) {
    way.trouble = whyUnread(error);
    picture.dispatchEvent(new Event("error"));
  }
}

function isPicture(url: string): Promise<boolean> {
  const tried = new Image();
  return new Promise((resolve) => {
    tried.addEventListener("load", () => resolve(true));
    tried.addEventListener("error", () => resolve(false));
    tried.src = url;
  });
}

function tileLayer(drawn: Drawn, say: Say): BaseLayer {
  const way: Way = {};
  const load = (tile: { getImage?(): unknown }, url: string) => void loadPicture(tile.getImage?.() as HTMLImageElement, drawn, url, way);
  const source = new XYZ({ url: drawn.url, tileLoadFunction: load as never });
  let isDrawn = false;
  source.on("tileloadend", () => {
    isDrawn = true;
    say(way.isProxied ? PROXIED() : DRAWN());
  });
  source.on("tileloaderror", () => {
    if (!isDrawn) say(way.trouble ?? FAILED(), true);
  });
  return new TileLayer({ source });
}

async function vectorTiles(drawn: Drawn, say: Say): Promise<BaseLayer> {
  const [{ default: VectorTileLayer }, { default: VectorTileSource }, { default: MVT }] = await Promise.all([
    import("ol/layer/VectorTile.js"),
    import("ol/source/VectorTile.js"),
    import("ol/format/MVT.js"),
  ]);
  const format = new MVT();
  let isDrawn = false;
  const read = async (tile: VectorTile<RenderFeature>, url: string, extent: Extent, featureProjection: Projection) => {
    const { answer, isProxied } = await fetchDirectly(drawn, url, { Accept: "application/vnd.mapbox-vector-tile, application/x-protobuf, */*" });
    if (!answer.ok) throw new Unanswered();
    tile.setFeatures(format.readFeatures(await answer.arrayBuffer(), { extent, featureProjection }));
    isDrawn = true;
    say(isProxied ? PROXIED() : DRAWN());
  };
  const load = (tile: VectorTile<RenderFeature>, url: string) =>
    tile.setLoader((extent, _resolution, projection) => {
      read(tile, url, extent, projection).catch((error: unknown) => {
        tile.onError();
        if (!isDrawn) say(error instanceof Unanswered ? FAILED() : whyUnread(error), true);
      });
    });
  const source = new VectorTileSource({ url: drawn.url, format, tileLoadFunction: load as never });
  return new VectorTileLayer({ source, style: vectorStyle() });
}

/** The service has answered, but with no tile. */
class Unanswered extends Error {}

function featureLayer(drawn: Drawn, say: Say): BaseLayer {
  const source = new VectorSource({ wrapX: true });
  const load = async () => {
    const accept = { Accept: "application/geo+json, application/json, application/xml, */*" };
    const { answer, isProxied } = await fetchDirectly(drawn, drawn.url, accept);
    if (!answer.ok) return say(FAILED(), true);
    const body = await answer.text();
    const files = drawn.type === "kml" ? [body, ...(await linkedFiles(drawn.url, body, (url) => fileAt(drawn, url)))] : [body];
    const features = (await Promise.all(files.map((file) => readFeatures(drawn.type, file)))).flat();
    if (!features.length) return say(drawn.type === "kml" && body.includes("<NetworkLink") ? LINKS() : NOTHING(), true);
    source.addFeatures(features.slice(0, MAX_FEATURES));
    const count = t("{n} features, read from the service itself.", { n: features.length });
    say(isProxied ? `${t("{n} features", { n: features.length })}. ${PROXIED()}` : count);
  };
  load().catch((error: unknown) => say(whyUnread(error), true));
  return new VectorLayer({ source, style: vectorStyle() });
}

async function fileAt(drawn: Drawn, url: string): Promise<string> {
  const { answer } = await fetchDirectly(drawn, url);
  return answer.ok ? answer.text() : "";
}

/** Why nothing could be read: the portal knows; a browser does not tell silence from a refusal. */
export function whyUnread(error: unknown): string {
  if (error instanceof Unread) return error.message;
  return t("The service does not answer, or does not let web pages of other sites read it (CORS). Open it in a program instead.");
}

async function readFeatures(type: string, text: string) {
  const options = { featureProjection: "EPSG:4326" };
  if (type === "kml") {
    const { default: KML } = await import("ol/format/KML.js");
    return new KML({ extractStyles: false }).readFeatures(text, options);
  }
  if (type === "gml") {
    const { default: WFS } = await import("ol/format/WFS.js");
    return new WFS().readFeatures(text, options);
  }
  return new GeoJSON().readFeatures(JSON.parse(text), options);
}

function vectorStyle(): Style {
  const color = COLOURS[coloured++ % COLOURS.length]!;
  const fill = new Fill({ color: `${color}33` });
  const stroke = new Stroke({ color, width: 1.6 });
  return new Style({ fill, stroke, image: new CircleStyle({ radius: 4.5, fill: new Fill({ color }), stroke: new Stroke({ color: "#fff", width: 1 }) }) });
}
