/** Small line charts of a running task, drawn as SVG: services by pages, speed, queue, load. */

import type { TaskEvent } from "./events";

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 40;
const BOTTOM = 18;
const TOP = 8;
const MAX_POINTS = 400;
const NAMES = ["elapsed_s", "pages", "services", "run_pages_per_s", "queue", "machine_load"] as const;
const MET = 2; // the services: new ones, and those that were known
const NUMBERS = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

interface Curve {
  readonly name: string;
  readonly x: number; // place of the value in a row
  readonly y: number;
}

const CURVES: readonly Curve[] = [
  { name: "quickness", x: 1, y: 2 },
  { name: "speed", x: 0, y: 3 },
  { name: "queue", x: 0, y: 4 },
  { name: "load", x: 0, y: 5 },
];

export class Curves {
  constructor(
    private readonly page: HTMLElement,
    private rows: number[][],
  ) {
    this.draw();
  }

  add(event: TaskEvent): void {
    const row = NAMES.map((name) => Number(event[name] ?? 0));
    row[MET] = (row[MET] ?? 0) + Number(event["known"] ?? 0);
    this.rows.push(row);
    if (this.rows.length > MAX_POINTS) this.rows = this.rows.filter((_, place) => place % 2 === 1);
    this.draw();
  }

  private draw(): void {
    for (const curve of CURVES) {
      const target = this.page.querySelector(`[data-curve="${curve.name}"]`);
      const points = this.rows.map((row) => [row[curve.x] ?? 0, row[curve.y] ?? 0] as const);
      target?.replaceChildren(chart(points));
    }
  }
}

function chart(points: readonly (readonly [number, number])[]): SVGElement {
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img" });
  const xs = points.map(([x]) => x);
  const first = Math.min(...xs, Infinity);
  const start = Number.isFinite(first) ? first : 0;
  const end = Math.max(...xs, start + 1);
  const high = nice(Math.max(...points.map(([, y]) => y), 1));
  const right = (x: number): number => LEFT + ((x - start) / (end - start)) * (WIDTH - LEFT - 6);
  const up = (y: number): number => HEIGHT - BOTTOM - (y / high) * (HEIGHT - BOTTOM - TOP);
  for (const share of [0, 0.5, 1]) {
    const y = up(high * share);
    svg.append(make("line", { x1: LEFT, x2: WIDTH - 6, y1: y, y2: y, class: "grid" }));
    svg.append(label(NUMBERS.format(high * share), LEFT - 5, y + 3.5, "end"));
  }
  svg.append(label(NUMBERS.format(start), LEFT, HEIGHT - 4, "start"));
  svg.append(label(NUMBERS.format(end), WIDTH - 6, HEIGHT - 4, "end"));
  const line = points.map(([x, y]) => `${right(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
  const latest = points.at(-1);
  if (latest) {
    svg.append(make("polyline", { points: line, class: "line" }));
    svg.append(make("circle", { cx: right(latest[0]), cy: up(latest[1]), r: 3, class: "dot" }));
    svg.setAttribute("aria-label", NUMBERS.format(latest[1]));
  }
  return svg;
}

/** The next of 1, 2, 5, 10, 20 … */
function nice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function label(content: string, x: number, y: number, anchor: string): SVGElement {
  const made = make("text", { x, y, "text-anchor": anchor });
  made.textContent = content;
  return made;
}

export function make(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
