/** A line across the map that a visitor drags: one layer to its right, the rest or another layer to its left. */

import type OlMap from "ol/Map.js";
import type BaseLayer from "ol/layer/Base.js";
import type RenderEvent from "ol/render/Event.js";
import { getRenderPixel } from "ol/render.js";
import { unByKey } from "ol/Observable.js";
import type { EventsKey } from "ol/events.js";
import { t } from "./texts";

export class Swipe {
  private readonly slider: HTMLInputElement;
  private keys: EventsKey[] = [];
  private layers: BaseLayer[] = [];

  constructor(private readonly map: OlMap) {
    this.slider = document.createElement("input");
    this.slider.type = "range";
    this.slider.className = "swipe";
    this.slider.min = "0";
    this.slider.max = "100";
    this.slider.value = "50";
    this.slider.step = "0.5";
    this.slider.hidden = true;
    this.slider.setAttribute("aria-label", t("Compare: move the line between the layers"));
    this.slider.addEventListener("input", () => {
      this.slider.style.setProperty("--at", `${this.slider.value}%`);
      map.render();
    });
    this.slider.style.setProperty("--at", "50%");
    map.getTargetElement().parentElement?.append(this.slider);
  }

  start(right: BaseLayer, left?: BaseLayer): void {
    this.stop();
    this.layers = left ? [right, left] : [right];
    this.clip(right, () => [this.share(), 1]);
    if (left) this.clip(left, () => [0, this.share()]);
    this.slider.hidden = false;
    this.map.render();
  }

  stop(): void {
    unByKey(this.keys);
    this.keys = [];
    this.layers = [];
    this.slider.hidden = true;
    this.map.render();
  }

  forget(layer: BaseLayer): void {
    if (this.layers.includes(layer)) this.stop();
  }

  private share(): number {
    return Number(this.slider.value) / 100;
  }

  private clip(layer: BaseLayer, span: () => readonly [number, number]): void {
    const before = (event: RenderEvent) => {
      const context = event.context;
      const size = this.map.getSize();
      if (!(context instanceof CanvasRenderingContext2D) || !size) return;
      const [from, to] = span().map((share) => share * size[0]!);
      const corners = [[from!, 0], [to!, 0], [to!, size[1]!], [from!, size[1]!]].map((pixel) => getRenderPixel(event, pixel));
      context.save();
      context.beginPath();
      corners.forEach(([x, y], index) => (index ? context.lineTo(x!, y!) : context.moveTo(x!, y!)));
      context.closePath();
      context.clip();
    };
    const after = (event: RenderEvent) => {
      if (event.context instanceof CanvasRenderingContext2D) event.context.restore();
    };
    const events = layer as unknown as { on(type: string, listener: (event: RenderEvent) => void): EventsKey };
    this.keys.push(events.on("prerender", before), events.on("postrender", after));
  }
}
