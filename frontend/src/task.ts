/** The page of one task, live: numbers, map, curves, services and visits as the portal sends them. */

import { Curves, make } from "./curves";
import { element } from "./dom";
import { follow } from "./events";
import type { TaskEvent } from "./events";
import type { HostMap } from "./hosts";
import { t } from "./texts";

const RELOAD_MS = 300;
const MAX_URL_CHARS = 60;
const MAX_DROPS = 8;
const WHOLE = new Intl.NumberFormat("en-US");

/** Draw what is known, and follow the task where it has not ended. */
export async function showTask(page: HTMLElement): Promise<void> {
  const curves = new Curves(page, parsed<number[][]>(page, "history", []));
  const task = page.dataset["task"];
  const shown = page.querySelector<HTMLElement>("[data-state]")?.dataset["state"] ?? "";
  const waiting: TaskEvent[] = [];
  let map: HostMap | undefined;
  if (task) {
    follow(task, Number(page.dataset["last"]), (event) => {
      if (event.type === "progress") showProgress(page, curves, event);
      if (event.type === "visit") showVisit(page, event);
      if (event.type === "service") {
        showService(page, event);
        if (map) pop(page, map, event);
        else waiting.push(event);
      }
      if (event.type !== "state" || text(event, "state") === shown) return true;
      // Other buttons belong to another state: the portal draws them.
      window.setTimeout(() => window.location.reload(), RELOAD_MS);
      return false;
    });
  }
  const target = page.querySelector<HTMLElement>("[data-live-map]");
  if (!target) return;
  const { HostMap } = await import("./hosts");
  map = new HostMap(target, parsed<[number, number, number][]>(page, "places", []));
  for (const event of waiting) pop(page, map, event);
}

function parsed<T>(page: HTMLElement, name: string, otherwise: T): T {
  const said = page.dataset[name];
  return said ? (JSON.parse(said) as T) : otherwise;
}

function pop(page: HTMLElement, map: HostMap, event: TaskEvent): void {
  const [lon, lat] = [event["lon"], event["lat"]];
  if (typeof lon !== "number" || typeof lat !== "number") return;
  map.add(lon, lat);
  const note = page.querySelector("[data-placed]");
  const many = map.total === 1 ? t("{n} service has a known place", { n: 1 }) : t("{n} services have a known place", { n: WHOLE.format(map.total) });
  if (note) note.textContent = many;
}

function showProgress(page: HTMLElement, curves: Curves, event: TaskEvent): void {
  const fresh = Number(event["services"] ?? 0);
  const met = fresh + Number(event["known"] ?? 0);
  for (const field of page.querySelectorAll<HTMLElement>("[data-count]")) {
    const name = field.dataset["count"] ?? "";
    field.textContent = format(name, name === "met" ? met : Number(event[name] ?? 0));
  }
  const note = page.querySelector("[data-new]");
  if (note) note.textContent = t("{n} new", { n: WHOLE.format(fresh) });
  const waiting = text(event, "waiting");
  const hosts = Array.isArray(event["waiting_hosts"]) ? (event["waiting_hosts"] as string[]).join(", ") : "";
  const texts = parsed<Record<string, string>>(page, "waitingTexts", {});
  const place = page.querySelector<HTMLElement>("[data-waiting]");
  const said = texts[waiting] ?? waiting;
  const now = said && hosts ? `${said}: ${hosts}` : said;
  if (place && (now || !page.querySelector('[data-state="pausing"], [data-state="stopping"]'))) place.textContent = place.title = now;
  showFetching(page, event["fetching"]);
  showDrops(page, event["drops"]);
  curves.add(event);
}

/** What is being asked for, and what spoke for it. */
function showFetching(page: HTMLElement, fetching: unknown): void {
  const list = page.querySelector<HTMLElement>("[data-fetching]");
  if (!list || !Array.isArray(fetching)) return;
  const texts = parsed<Record<string, string>>(list, "whyTexts", {});
  const lines = (fetching as [string, string][]).map(([url, why]) => {
    const line = element("li", "");
    const said = why.split("; ").map((each) => texts[each] ?? each);
    const note = element("span", said.join("; "));
    note.className = "muted";
    note.dir = "auto";
    line.append(address(url), note);
    return line;
  });
  list.replaceChildren(...lines);
  page.querySelector("[data-idle]")?.toggleAttribute("hidden", lines.length > 0);
}

function showDrops(page: HTMLElement, drops: unknown): void {
  const target = page.querySelector<HTMLElement>("[data-drops]");
  if (!target || typeof drops !== "object" || drops === null) return;
  const texts = JSON.parse(target.dataset["reasons"] ?? "{}") as Record<string, string>;
  const ranked = Object.entries(drops as Record<string, number>).sort((a, b) => b[1] - a[1]);
  const most = ranked[0]?.[1] ?? 1;
  const rows = ranked.slice(0, MAX_DROPS).map(([reason, count]) => {
    const row = element("div", "");
    row.className = "drop";
    const words = texts[reason] ?? reason;
    const number = element("span", WHOLE.format(count));
    number.className = "number";
    row.append(element("span", words), bar(count / most), number);
    return row;
  });
  target.replaceChildren(...rows);
  if (rows.length) page.querySelector("[data-no-drops]")?.remove();
}

/** A length; the number beside it says the same. */
function bar(share: number): SVGElement {
  const svg = make("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(make("rect", { width: 100 * share, height: 1 }));
  return svg;
}

function format(name: string, value: number): string {
  if (name === "elapsed_s") return duration(Math.floor(value));
  return name === "pages_per_s" ? value.toFixed(1) : WHOLE.format(value);
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function showService(page: HTMLElement, event: TaskEvent): void {
  const endpoint = text(event, "endpoint");
  const link = element("a", text(event, "title").trim() || shorten(endpoint));
  link.href = `/services/${encodeURIComponent(text(event, "id"))}`;
  link.dir = "auto";
  const kind = text(event, "kind");
  const labels = parsed<Record<string, string>>(page, "kinds", {});
  const badge = element("span", labels[kind] ?? kind);
  badge.className = "badge";
  const row = element("tr", "");
  row.className = "is-new";
  const after = cell(element("span", duration(Math.floor(Number(event["elapsed_s"] ?? 0)))));
  after.className = "number";
  const line = element("div", "");
  line.className = "service-line";
  line.append(badge, " ");
  if (event["known"]) {
    const known = element("span", t("known before"));
    known.className = "muted";
    line.append(known, " ");
  }
  line.append(address(endpoint));
  row.append(cell(scoreBadge(event["score"])), cell(link, line), cell(element("span", text(event, "country"))), after);
  prepend(page, "services", row, Number(page.dataset["mostServices"]));
  page.querySelector("[data-none]")?.setAttribute("hidden", "");
}

function scoreBadge(score: unknown): HTMLElement {
  if (typeof score !== "number") return element("span", "–");
  const badge = element("span", String(Math.round(score)));
  badge.className = `score-badge score-${score >= 75 ? "good" : score >= 50 ? "fair" : "poor"}`;
  return badge;
}

function cell(...parts: Node[]): HTMLTableCellElement {
  const made = element("td", "");
  made.append(...parts);
  return made;
}

function showVisit(page: HTMLElement, event: TaskEvent): void {
  const reasons = page.querySelector<HTMLElement>("[data-drops]")?.dataset["reasons"] ?? "{}";
  const reason = text(event, "reason");
  const words = (JSON.parse(reasons) as Record<string, string>)[reason] ?? reason;
  const outcome = [words, text(event, "status")].filter(Boolean).join(" ");
  const seconds = Number(event["elapsed_s"]);
  const took = seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
  const told = [outcome, seconds ? took : ""].filter(Boolean).join(" · ");
  const note = element("span", outcome ? told : t("read before"));
  note.className = "muted";
  const line = element("li", "");
  line.className = "is-new";
  line.append(address(text(event, "url")), note);
  prepend(page, "visits", line, Number(page.dataset["mostVisits"]));
}

/** Put a line on top of a list, and take the oldest off where it is long. */
function prepend(page: HTMLElement, name: "services" | "visits", line: HTMLElement, most: number): void {
  const list = page.querySelector(`[data-${name}]`);
  if (!list) return;
  list.prepend(line);
  while (list.childElementCount > most) list.lastElementChild?.remove();
}

function address(url: string): HTMLElement {
  const code = element("code", shorten(url));
  code.dir = "ltr";
  code.title = url;
  return code;
}

function shorten(url: string): string {
  const bare = url.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return bare.length <= MAX_URL_CHARS ? bare : `${bare.slice(0, MAX_URL_CHARS - 1)}…`;
}

function text(event: TaskEvent, name: string): string {
  const value = event[name];
  return typeof value === "string" ? value : typeof value === "number" && value ? String(value) : "";
}
