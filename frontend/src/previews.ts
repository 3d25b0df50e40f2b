/** Small pictures of the results, asked of the services' own servers: only once the visitor has said so. */

import type { Drawn } from "./drawn";
import { parseBox } from "./box";
import { t } from "./texts";

const KEY = "geohound-previews";
const WIDTH = 144;
const HEIGHT = 96;
type Span = readonly [number, number, number, number];

export function enablePreviews(button: HTMLButtonElement): void {
  const isOn = () => button.getAttribute("aria-pressed") === "true";
  const set = (on: boolean) => {
    button.setAttribute("aria-pressed", String(on));
    if (on) show();
    else document.querySelectorAll(".hit-preview").forEach((picture) => picture.remove());
  };
  button.hidden = document.querySelector("[data-add]") === null;
  button.addEventListener("click", () => {
    set(!isOn());
    sessionStorage.setItem(KEY, isOn() ? "1" : "0");
  });
  set(sessionStorage.getItem(KEY) === "1");
}

function show(): void {
  for (const button of document.querySelectorAll<HTMLElement>(".hit [data-add]")) {
    const hit = button.closest(".hit");
    const drawn = JSON.parse(button.dataset["add"] ?? "{}") as Drawn;
    const url = pictureOf(drawn);
    if (!hit || !url || hit.querySelector(".hit-preview")) continue;
    const picture = document.createElement("img");
    Object.assign(picture, { className: "hit-preview", loading: "lazy", referrerPolicy: "no-referrer", width: WIDTH, height: HEIGHT });
    picture.alt = t("Preview of {title}", { title: drawn.title });
    picture.addEventListener("error", () => picture.remove());
    picture.src = url;
    hit.prepend(picture);
  }
}

/** The address of one small picture of the layer; nothing where it is no picture. */
export function pictureOf(drawn: Drawn): string {
  const box = parseBox(drawn.bbox);
  if (!box || box[0] > box[2]) return "";
  const span = fitted(box);
  if (drawn.type === "wms") return wmsPicture(drawn, span);
  if (drawn.type === "arcgis") return arcgisPicture(drawn, span);
  if (drawn.type === "xyz") return tileOf(drawn.url, box);
  return drawn.type === "image" ? drawn.url : "";
}

/** The box made as wide as the picture is, so that nothing is stretched. */
function fitted([west, south, east, north]: Span): Span {
  const middle = [(west + east) / 2, (south + north) / 2] as const;
  const height = Math.max(north - south, ((east - west) * HEIGHT) / WIDTH, 0.01);
  const width = (height * WIDTH) / HEIGHT;
  return [middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2];
}

function wmsPicture(drawn: Drawn, [west, south, east, north]: Span): string {
  const { VERSION: version = "1.1.1", LAYERS: layers = "", FORMAT: format = "image/png" } = drawn.params;
  const isNew = version >= "1.3";
  const box = isNew ? [south, west, north, east] : [west, south, east, north];
  return withParams(drawn.url, {
    SERVICE: "WMS", REQUEST: "GetMap", VERSION: version, LAYERS: layers, STYLES: "", FORMAT: format, TRANSPARENT: "TRUE",
    [isNew ? "CRS" : "SRS"]: "EPSG:4326", BBOX: box.join(","), WIDTH: String(WIDTH), HEIGHT: String(HEIGHT),
  });
}

function arcgisPicture(drawn: Drawn, span: Span): string {
  const operation = drawn.params["IMAGE"] ? "exportImage" : "export";
  const shown = drawn.params["LAYERS"] ? { layers: drawn.params["LAYERS"] } : {};
  return withParams(`${drawn.url.replace(/\/$/, "")}/${operation}`, {
    f: "image", bbox: span.join(","), bboxSR: "4326", size: `${WIDTH},${HEIGHT}`, format: "png", transparent: "true", ...shown,
  });
}

/** The smallest tile of the Web Mercator grid that holds the middle of the box and is no smaller than it. */
function tileOf(template: string, [west, south, east, north]: Span): string {
  const zoom = Math.max(0, Math.min(16, Math.floor(Math.log2(360 / Math.max(east - west, north - south, 0.01)))));
  const size = 2 ** zoom;
  const latitude = (Math.max(-85, Math.min(85, (south + north) / 2)) * Math.PI) / 180;
  const x = Math.floor((((west + east) / 2 + 180) / 360) * size);
  const y = Math.floor(((1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2) * size);
  const values: Record<string, number> = { z: zoom, x, y, "-y": size - 1 - y };
  return template.replace(/\{(-?[xyz])\}/g, (_, name: string) => String(values[name]));
}

function withParams(url: string, wanted: Readonly<Record<string, string>>): string {
  const made = new URL(url);
  const names = new Set(Object.keys(wanted).map((name) => name.toLowerCase()));
  for (const name of [...made.searchParams.keys()]) if (names.has(name.toLowerCase())) made.searchParams.delete(name);
  for (const [name, value] of Object.entries(wanted)) made.searchParams.set(name, value);
  return made.href;
}
