/** Colours of the map, read from the style sheet so that light and dark stay in one place. */

import type { FeatureLike } from "ol/Feature.js";
import Fill from "ol/style/Fill.js";
import Stroke from "ol/style/Stroke.js";
import Style from "ol/style/Style.js";

const NAMES = ["land", "border", "grid", "hit", "hit-fill", "lit", "lit-fill", "asked", "asked-fill", "country", "city", "hit-ink"] as const;
export type Palette = Record<(typeof NAMES)[number], string>;

export function readPalette(): Palette {
  const css = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, css.getPropertyValue(`--map-${name}`).trim()])) as Palette;
}

export function landStyle(palette: Palette): Style {
  return new Style({
    fill: new Fill({ color: palette.land }),
    stroke: new Stroke({ color: palette.border, width: 0.8 }),
  });
}

export function gridStyle(palette: Palette): Style {
  return new Style({ stroke: new Stroke({ color: palette.grid, width: 1 }) });
}

export function boxStyle(feature: FeatureLike, palette: Palette): Style | undefined {
  const role: unknown = feature.get("role");
  const isWorld = Boolean(feature.get("isWorld"));
  if (feature.get("lit")) return isWorld ? edge(palette.lit, 2.5, 10) : outlined(palette.lit, palette["lit-fill"], 2.5, 10);
  if (role === "asked") return outlined(palette.asked, palette["asked-fill"], 2, 5, [7, 4]);
  // A box around the whole world would only tint everything.
  if (role === "layer" || isWorld) return undefined;
  return outlined(palette.hit, palette["hit-fill"], role === "whole" ? 2 : 1.2, 1);
}

/** Without a fill, for what is as large as the world. */
function edge(color: string, width: number, zIndex: number): Style {
  return new Style({ stroke: new Stroke({ color, width }), zIndex });
}

function outlined(color: string, fill: string, width: number, zIndex: number, lineDash?: number[]): Style {
  return new Style({
    fill: new Fill({ color: fill }),
    stroke: new Stroke({ color, width, ...(lineDash ? { lineDash } : {}) }),
    zIndex,
  });
}
