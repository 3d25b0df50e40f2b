/** A base layer of the visitor's choice, by the address of tiles or of a WMS; it lies over the outlines of countries. */

import type OlMap from "ol/Map.js";
import type BaseLayer from "ol/layer/Base.js";
import ImageLayer from "ol/layer/Image.js";
import TileLayer from "ol/layer/Tile.js";
import ImageWMS from "ol/source/ImageWMS.js";
import XYZ from "ol/source/XYZ.js";
import { element } from "./dom";
import { t } from "./texts";

const BASE_Z = 2;

/** Put it on the map; the portal has looked at the address, and lets this page load it. */
export function showBase(map: OlMap, address: string): void {
  const layer = address && baseLayer(address);
  if (!layer) return;
  layer.setZIndex(BASE_Z);
  map.addLayer(layer);
}

function baseLayer(address: string): BaseLayer | undefined {
  if (/\{z\}/.test(address)) return new TileLayer({ source: new XYZ({ url: address }) });
  const url = new URL(address);
  const layers = [...url.searchParams].find(([name]) => name.toLowerCase() === "layers")?.[1];
  if (!layers) return undefined;
  for (const name of [...url.searchParams.keys()]) if (ASKED.has(name.toLowerCase())) url.searchParams.delete(name);
  return new ImageLayer({ source: new ImageWMS({ url: url.href, params: { LAYERS: layers, VERSION: "1.1.1" }, projection: "EPSG:4326", ratio: 1 }) });
}

const ASKED = new Set(["layers", "service", "request", "version", "styles", "format", "bbox", "width", "height", "crs", "srs", "transparent"]);

/** The field for its address; choosing one loads the page again, since a page may load only what its policy names. */
export function baseControl(address: string): HTMLElement {
  const details = document.createElement("details");
  details.className = "base-control";
  const host = address ? new URL(address.replace(/[{}]/g, "")).host : "";
  details.append(element("summary", address ? t("Base map: {host}", { host }) : t("Base map: outlines of countries")));
  const label = element("label", t("Address of tiles with {x}, {y}, {z}, or of a WMS with LAYERS"));
  const field = document.createElement("input");
  field.type = "text";
  field.value = address;
  field.maxLength = 1000;
  field.placeholder = "https://…/{z}/{x}/{y}.png";
  label.append(field);
  const use = element("button", t("Use as base map"));
  const remove = element("button", t("Outlines of countries"));
  for (const each of [use, remove]) {
    each.type = "button";
    each.className = "quiet small";
  }
  use.addEventListener("click", () => goWith(field.value.trim()));
  remove.addEventListener("click", () => goWith(""));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") goWith(field.value.trim());
  });
  const buttons = element("p", "");
  buttons.className = "stack-buttons";
  buttons.append(use, ...(address ? [remove] : []));
  details.append(label, buttons);
  return details;
}

function goWith(address: string): void {
  const to = new URL(location.href);
  to.searchParams.delete("base");
  if (address) to.searchParams.set("base", address);
  location.assign(to);
}
