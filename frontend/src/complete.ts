/** Suggestions below the search box: words, places and services; a combobox as WAI-ARIA describes it. */

import { t } from "./texts";
import { element } from "./dom";

interface Place {
  readonly name: string;
  readonly country: string;
  readonly bbox: readonly number[];
}

interface Completion {
  readonly words: readonly string[];
  readonly places: readonly Place[];
  readonly services: readonly { id: string; title: string; kind_title: string; host: string }[];
}

const WAIT_MS = 120;
const MIN_CHARS = 2;
const SIDES = ["west", "south", "east", "north"] as const;

export function enableCompletion(input: HTMLInputElement, form: HTMLFormElement): void {
  const list = element("ul", "");
  list.id = "completions";
  list.className = "completions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", t("Suggestions"));
  input.after(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" }))
    input.setAttribute(name, value);
  let timer = 0;
  let at = -1;
  const options = () => [...list.querySelectorAll<HTMLElement>("[role=option]")];
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (index: number) => {
    at = index;
    options().forEach((option, number) => option.setAttribute("aria-selected", String(number === at)));
    const chosen = options()[at];
    if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
    chosen?.scrollIntoView({ block: "nearest" });
  };
  const load = async () => {
    const text = input.value.trim();
    if (text.length < MIN_CHARS) return close();
    const answer = await fetch(`${input.dataset["complete"]}?${new URLSearchParams({ q: text })}`);
    if (!answer.ok || input.value.trim() !== text || document.activeElement !== input) return;
    fill(list, (await answer.json()) as Completion, input, form);
    at = -1;
    list.hidden = options().length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
  };
  input.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void load(), WAIT_MS);
  });
  input.addEventListener("keydown", (event) => {
    const count = options().length;
    // Of itself a search field would be emptied by it: first it closes the list, and keeps what was typed.
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      return close();
    }
    if (list.hidden || !count) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose((at + (event.key === "ArrowDown" ? 1 : count + (at < 0 ? 0 : -1))) % count);
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      options()[at]?.click();
    }
  });
  input.addEventListener("blur", () => window.setTimeout(close, 150));
}

function fill(list: HTMLElement, found: Completion, input: HTMLInputElement, form: HTMLFormElement): void {
  const rows: HTMLElement[] = [];
  const add = (kind: string, text: string, more: string, action: () => void) => {
    const row = element("li", "");
    row.id = `completion-${rows.length}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    const label = element("span", text);
    label.dir = "auto";
    const note = element("small", more);
    row.append(label, note);
    row.dataset["kind"] = kind;
    row.addEventListener("mousedown", (event) => event.preventDefault());
    row.addEventListener("click", action);
    rows.push(row);
  };
  for (const words of found.words)
    add("words", words, "", () => {
      input.value = words;
      form.requestSubmit();
    });
  for (const place of found.places)
    add("place", place.name, place.country ? `${t("place")}, ${place.country}` : t("country"), () => {
      const words = wordsBefore(input.value);
      const asked = new CustomEvent("geohound:place", { detail: place.bbox, cancelable: true });
      input.value = words;
      if (!form.dispatchEvent(asked)) return list.setAttribute("hidden", ""); // the map goes there
      setBox(form, place.bbox);
      form.requestSubmit();
    });
  for (const service of found.services)
    add("service", service.title || t("Untitled service at {host}", { host: service.host }), service.kind_title, () => location.assign(`/services/${service.id}`));
  list.replaceChildren(...rows);
}

/** "rivers in Finland" are the words rivers and the place Finland. */
function wordsBefore(text: string): string {
  const at = text.search(/\s(in|en|à|em)\s+\S*[^]*$/i);
  return at < 0 ? "" : text.slice(0, at).trim();
}

function setBox(form: HTMLFormElement, box: readonly number[]): void {
  SIDES.forEach((side, index) => {
    const field = form.elements.namedItem(side);
    if (field instanceof HTMLInputElement) {
      field.disabled = false;
      field.value = String(box[index]);
    }
  });
}
