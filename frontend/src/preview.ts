/** Draws one layer of a service on its page; the browser asks the service itself, and only when the visitor says so. */

import type OlMap from "ol/Map.js";
import ImageLayer from "ol/layer/Image.js";
import TileLayer from "ol/layer/Tile.js";
import VectorLayer from "ol/layer/Vector.js";
import ImageArcGISRest from "ol/source/ImageArcGISRest.js";
import ImageStatic from "ol/source/ImageStatic.js";
import ImageWMS from "ol/source/ImageWMS.js";
import VectorSource from "ol/source/Vector.js";
import XYZ from "ol/source/XYZ.js";
import GeoJSON from "ol/format/GeoJSON.js";
import type BaseLayer from "ol/layer/Base.js";
import { parseBox, toExtent } from "./box";

type Tell = (text: string) => void;
const FAILED = "The service did not answer with anything that can be drawn here.";

export function enablePreview(map: OlMap, target: HTMLElement): void {
  const tools = document.querySelector<HTMLElement>("[data-preview-tools]");
  const button = tools?.querySelector<HTMLButtonElement>("[data-add]");
  const told = tools?.querySelector<HTMLElement>("[data-told]");
  if (!tools || !button || !told) return;
  tools.hidden = false;
  const tell: Tell = (text) => (told.textContent = text);
  let shown: BaseLayer | undefined;
  button.addEventListener("click", () => {
    if (shown) {
      map.removeLayer(shown);
      shown = undefined;
      button.textContent = "Add to map";
      tell("");
      return;
    }
    if (location.protocol === "https:" && target.dataset["previewUrl"]?.startsWith("http:")) {
      tell("The service is not encrypted, and browsers refuse that on an encrypted page. Open it in a program instead.");
      return;
    }
    shown = previewLayer(target, tell);
    if (!shown) return tell(FAILED);
    tell("Loading …");
    // Above the outlines, below the boxes.
    map.getLayers().insertAt(3, shown);
    const box = parseBox(target.dataset["previewBox"]);
    if (box) map.getView().fit(toExtent(box), { padding: [12, 12, 12, 12], maxZoom: 16 });
    button.textContent = "Take off the map";
  });
}

function previewLayer(target: HTMLElement, tell: Tell): BaseLayer | undefined {
  const url = target.dataset["previewUrl"] ?? "";
  const params = JSON.parse(target.dataset["previewParams"] || "{}") as Record<string, string>;
  switch (target.dataset["preview"]) {
    case "wms": {
      const { CRS: crs = "", ...rest } = params;
      const projection = crs === "EPSG:3857" ? crs : "EPSG:4326";
      return imageLayer(new ImageWMS({ url, params: rest, projection, ratio: 1 }), tell);
    }
    case "arcgis": {
      const shown = params["LAYERS"] ? { LAYERS: params["LAYERS"] } : {};
      return imageLayer(new ImageArcGISRest({ url, params: shown, ratio: 1 }), tell);
    }
    case "image": {
      const box = parseBox(target.dataset["previewBox"]);
      return box ? imageLayer(new ImageStatic({ url, imageExtent: toExtent(box), projection: "EPSG:4326" }), tell) : undefined;
    }
    case "xyz":
      return tileLayer(url, tell);
    case "geojson":
      return featureLayer(url, tell);
    default:
      return undefined;
  }
}

function imageLayer(source: ImageWMS | ImageArcGISRest | ImageStatic, tell: Tell): BaseLayer {
  source.on("imageloadend", () => tell("Drawn by the service itself."));
  source.on("imageloaderror", () => tell(FAILED));
  return new ImageLayer({ source });
}

function tileLayer(url: string, tell: Tell): BaseLayer {
  const source = new XYZ({ url });
  let drawn = false;
  source.on("tileloadend", () => {
    drawn = true;
    tell("Drawn by the service itself.");
  });
  source.on("tileloaderror", () => {
    if (!drawn) tell(FAILED);
  });
  return new TileLayer({ source });
}

function featureLayer(url: string, tell: Tell): BaseLayer {
  const source = new VectorSource();
  const load = async () => {
    const answer = await fetch(url, { headers: { Accept: "application/geo+json, application/json" } });
    const features = new GeoJSON().readFeatures(await answer.json(), { featureProjection: "EPSG:4326" });
    source.addFeatures(features);
    tell(`${features.length} features, read from the service itself.`);
  };
  load().catch(() => tell("The service does not let web pages of other sites read it. Open it in a program instead."));
  return new VectorLayer({ source });
}
