/** What a layer says of the place that was clicked: attributes of features, or the answer to GetFeatureInfo, as text. */

import type OlMap from "ol/Map.js";
import ImageLayer from "ol/layer/Image.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import ImageWMS from "ol/source/ImageWMS.js";
import type MapBrowserEvent from "ol/MapBrowserEvent.js";
import type { LayerPanel } from "./layers";
import { element } from "./dom";
import { whyUnread } from "./drawn";
import type { Drawn } from "./drawn";
import { fetchDirectly } from "./proxy";
import { t } from "./texts";

const MAX_ROWS = 40;
const MAX_CHARS = 4000;
const NEAR_PX = 8;
type Facts = readonly (readonly [string, string])[];

export async function showInfo(map: OlMap, panel: LayerPanel, event: MapBrowserEvent, place: HTMLElement): Promise<boolean> {
  if (!panel.entries.length) return false;
  const blocks: HTMLElement[] = [];
  for (const { drawn, layer } of [...panel.entries].reverse()) {
    if (!layer.getVisible()) continue;
    const found = attributesAt(map, event, layer) ?? (layer instanceof ImageLayer ? await askWms(map, event, layer, drawn) : undefined);
    if (!found) continue;
    blocks.push(element("h4", drawn.title), typeof found === "string" ? element("pre", found) : table(found));
  }
  if (!blocks.length) return false;
  const close = element("button", t("Close"));
  close.type = "button";
  close.className = "quiet small";
  close.addEventListener("click", () => (place.hidden = true));
  place.replaceChildren(...blocks, close);
  place.hidden = false;
  return true;
}

function attributesAt(map: OlMap, event: MapBrowserEvent, layer: unknown): Facts | undefined {
  const source: unknown = layer instanceof VectorLayer ? layer.getSource() : undefined;
  if (!(source instanceof VectorSource)) return undefined;
  const feature = featureAt(map, event, source as VectorSource);
  if (!feature) return undefined;
  const pairs = Object.entries(feature.getProperties()).filter(([, value]) => typeof value !== "object");
  return pairs.slice(0, MAX_ROWS).map(([name, value]) => [name, String(value)] as const);
}

/** The feature at the place that was clicked, or a point or line close to it. */
function featureAt(map: OlMap, event: MapBrowserEvent, source: VectorSource) {
  const [within] = source.getFeaturesAtCoordinate(event.coordinate);
  if (within) return within;
  const closest = source.getClosestFeatureToCoordinate(event.coordinate);
  const at = closest?.getGeometry()?.getClosestPoint(event.coordinate);
  const pixel = at && map.getPixelFromCoordinate(at);
  const isNear = pixel && Math.hypot(pixel[0]! - event.pixel[0]!, pixel[1]! - event.pixel[1]!) <= NEAR_PX;
  return isNear ? closest : undefined;
}

async function askWms(map: OlMap, event: MapBrowserEvent, layer: { getSource(): unknown }, drawn: Drawn): Promise<string | undefined> {
  const source: unknown = layer.getSource();
  const resolution = map.getView().getResolution();
  if (!(source instanceof ImageWMS) || !resolution) return undefined;
  const url = source.getFeatureInfoUrl(event.coordinate, resolution, "EPSG:4326", { INFO_FORMAT: "text/plain", FEATURE_COUNT: 5 });
  if (!url) return undefined;
  try {
    const { answer } = await fetchDirectly(drawn, url);
    if (!answer.ok) return t("Nothing here.");
    return (await answer.text()).trim().slice(0, MAX_CHARS) || t("Nothing here.");
  } catch (error) {
    return whyUnread(error);
  }
}

function table(facts: Facts): HTMLElement {
  const made = element("dl", "");
  for (const [name, value] of facts) made.append(element("dt", name), element("dd", value));
  return made;
}
