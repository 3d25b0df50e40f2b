/** The layers that a visitor has put on the map: list, order, opacity, legend, swipe; kept in the address of the page. */

import type OlMap from "ol/Map.js";
import type BaseLayer from "ol/layer/Base.js";
import type { Drawn } from "./drawn";
import { makeLayer, refusal } from "./drawn";
import { parseBox, toExtent } from "./box";
import { element } from "./dom";
import { baseControl } from "./base";
import { Swipe } from "./swipe";
import { t } from "./texts";

interface Entry {
  readonly drawn: Drawn;
  readonly layer: BaseLayer;
  opacity: number;
  message: string;
  isTrouble: boolean;
}

const BASE_Z = 5;
const MAX_LAYERS = 12;

export class LayerPanel {
  readonly entries: Entry[] = []; // from below to above
  private readonly swipe: Swipe;
  private isOpen = !window.matchMedia("(max-width: 48rem)").matches;
  compared = ""; // with what the top layer is: nothing, the base map, or the word of a layer

  constructor(
    private readonly map: OlMap,
    private readonly panel: HTMLElement,
    private readonly base: string,
    private readonly changed: () => void,
  ) {
    this.swipe = new Swipe(map);
  }

  /** The list, also without layers where there is a base layer of the visitor's choice. */
  show(): void {
    if (this.base) this.render();
  }

  get target(): HTMLElement {
    return this.map.getTargetElement();
  }

  has(drawn: Drawn): boolean {
    return this.entries.some((entry) => isSame(entry.drawn, drawn));
  }

  async add(drawn: Drawn, show = true): Promise<string> {
    if (this.has(drawn)) return "";
    if (this.entries.length >= MAX_LAYERS) return t("The map has {n} layers, which is all it takes.", { n: MAX_LAYERS });
    const refused = refusal(drawn);
    if (refused) return refused;
    const say = (text: string, isTrouble = false) => {
      const entry = this.entries.find((each) => isSame(each.drawn, drawn));
      if (!entry) return;
      entry.message = text;
      entry.isTrouble = isTrouble;
      this.showMessages();
    };
    const layer = await makeLayer(drawn, say);
    if (!layer) return t("This browser cannot draw the layer. Open it in a program instead.");
    layer.setOpacity(drawn.opacity / 100);
    this.entries.push({ drawn, layer, opacity: drawn.opacity, message: t("Loading …"), isTrouble: false });
    this.map.addLayer(layer);
    this.render();
    if (show) this.zoomTo(drawn);
    return "";
  }

  remove(drawn: Drawn): void {
    const at = this.entries.findIndex((entry) => isSame(entry.drawn, drawn));
    const [gone] = at < 0 ? [] : this.entries.splice(at, 1);
    if (!gone) return;
    this.map.removeLayer(gone.layer);
    this.swipe.forget(gone.layer);
    this.render();
  }

  /** How the address of the page names the layers. */
  words(): string[] {
    return this.entries.map(({ drawn, opacity }) => `${drawn.service}~${drawn.layer}~${opacity}`);
  }

  zoomTo(drawn: Drawn): void {
    const box = parseBox(drawn.bbox);
    this.map.updateSize(); // its list may have made room for itself
    if (box) this.map.getView().fit(toExtent(box), { padding: [24, 24, 24, 24], maxZoom: 14 });
  }

  private move(entry: Entry, by: number): void {
    const at = this.entries.indexOf(entry);
    const to = at + by;
    if (to < 0 || to >= this.entries.length) return;
    this.entries.splice(at, 1);
    this.entries.splice(to, 0, entry);
    this.render();
  }

  private render(): void {
    this.entries.forEach((entry, index) => entry.layer.setZIndex(BASE_Z + index));
    this.panel.hidden = this.entries.length === 0 && !this.base;
    const list = element("ol", "");
    list.className = "layer-stack";
    [...this.entries].reverse().forEach((entry) => list.append(this.row(entry)));
    const sheet = document.createElement("details");
    sheet.open = this.isOpen;
    sheet.addEventListener("toggle", () => (this.isOpen = sheet.open));
    const heading = element("summary", `${t("Layers on the map")} `);
    heading.append(element("small", String(this.entries.length)));
    sheet.append(heading, list);
    if (this.entries.length) sheet.append(this.swipeControl());
    sheet.append(baseControl(this.base));
    this.panel.replaceChildren(sheet);
    this.compare(this.compared);
    this.showMessages();
    this.changed();
  }

  private row(entry: Entry): HTMLElement {
    const { drawn } = entry;
    const row = element("li", "");
    row.dataset["layer"] = wordOf(drawn);
    const title = element("p", drawn.title);
    title.className = "stack-title";
    title.dir = "auto";
    const opacity = document.createElement("input");
    opacity.type = "range";
    opacity.min = "0";
    opacity.max = "100";
    opacity.value = String(entry.opacity);
    opacity.setAttribute("aria-label", `${t("Opacity")}: ${drawn.title}`);
    opacity.addEventListener("input", () => {
      entry.opacity = Number(opacity.value);
      entry.layer.setOpacity(entry.opacity / 100);
    });
    opacity.addEventListener("change", () => this.changed());
    const buttons = element("p", "");
    buttons.className = "stack-buttons";
    buttons.append(
      button("↑", `${t("Move up")}: ${drawn.title}`, () => this.move(entry, 1)),
      button("↓", `${t("Move down")}: ${drawn.title}`, () => this.move(entry, -1)),
      button("⤢", `${t("Zoom to")}: ${drawn.title}`, () => this.zoomTo(drawn)),
      button("✕", `${t("Remove")}: ${drawn.title}`, () => this.remove(drawn)),
    );
    const message = element("p", "");
    message.className = "stack-message";
    message.setAttribute("role", "status");
    const line = element("div", "");
    line.className = "stack-line";
    line.append(opacity, buttons);
    row.append(title, line, message, ...legendOf(drawn));
    return row;
  }

  private showMessages(): void {
    const rows = this.panel.querySelectorAll<HTMLElement>("[data-layer]");
    [...this.entries].reverse().forEach((entry, index) => {
      const message = rows[index]?.querySelector<HTMLElement>(".stack-message");
      if (!message) return;
      message.textContent = entry.message;
      message.classList.toggle("is-trouble", entry.isTrouble);
    });
  }

  /** The top layer stands to the right of the line; what is below it, or another layer alone, to the left. */
  private swipeControl(): HTMLElement {
    const box = element("p", "");
    box.className = "swipe-control";
    const label = element("label", t("Compare the top layer with"));
    const select = document.createElement("select");
    const options: [string, string][] = [["", t("nothing")], ["base", t("the base map")]];
    this.entries.slice(0, -1).forEach((entry) => options.push([wordOf(entry.drawn), entry.drawn.title]));
    if (!options.some(([value]) => value === this.compared)) this.compared = "";
    for (const [value, text] of options) select.add(new Option(text, value, value === this.compared, value === this.compared));
    select.addEventListener("change", () => {
      this.compare(select.value);
      this.changed();
    });
    label.append(select);
    box.append(label);
    return box;
  }

  /** The swipe that the address of the page asks for. */
  compareWith(value: string): void {
    this.compared = value;
    if (this.entries.length) this.render();
  }

  private compare(value: string): void {
    this.compared = value;
    const top = this.entries.at(-1)?.layer;
    this.entries.forEach((entry) => entry.layer.setVisible(true));
    if (!value || !top) return this.swipe.stop();
    const left = value === "base" ? undefined : this.entries.find((entry) => wordOf(entry.drawn) === value)?.layer;
    this.entries.forEach((entry) => entry.layer.setVisible(entry.layer === top || entry.layer === left));
    this.swipe.start(top, left);
  }
}

function wordOf(drawn: Drawn): string {
  return `${drawn.service}~${drawn.layer}`;
}

function isSame(a: Drawn, b: Drawn): boolean {
  return a.service === b.service && a.layer === b.layer;
}

function legendOf(drawn: Drawn): HTMLElement[] {
  if (!drawn.legend) return [];
  const details = document.createElement("details");
  details.append(element("summary", t("Legend")));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("img")) return;
    const picture = document.createElement("img");
    picture.alt = `${t("Legend")}: ${drawn.title}`;
    picture.referrerPolicy = "no-referrer";
    picture.src = drawn.legend;
    picture.addEventListener("error", () => picture.replaceWith(element("p", t("The service has no legend for it."))));
    details.append(picture);
  });
  return [details];
}

function button(text: string, label: string, action: () => void): HTMLButtonElement {
  const made = element("button", text);
  made.type = "button";
  made.className = "quiet small";
  made.setAttribute("aria-label", label);
  made.title = label.split(":")[0]!;
  made.addEventListener("click", action);
  return made;
}
