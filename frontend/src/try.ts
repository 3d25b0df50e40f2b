/** The forms of the API's documentation: each sends its request and shows the answer below. */

import { t } from "./texts";

const MAX_CHARS = 20_000;

export function enableTries(forms: Iterable<HTMLFormElement>): void {
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form);
    });
  }
  openNamed();
  window.addEventListener("hashchange", openNamed);
}

/** An operation that the address names is open. */
function openNamed(): void {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
}

async function send(form: HTMLFormElement): Promise<void> {
  const address = requestAddress(form);
  const shown = form.querySelector<HTMLElement>("[data-try-url]");
  const answer = form.querySelector<HTMLElement>("[data-try-answer]");
  if (!shown || !answer) return;
  shown.textContent = `GET ${address}`;
  answer.hidden = false;
  answer.textContent = t("Loading …");
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    const text = await response.text();
    answer.textContent = `HTTP ${response.status}\n${readable(text)}`;
  } catch {
    answer.textContent = t("No answer. Is the portal still running?");
  }
}

function requestAddress(form: HTMLFormElement): string {
  let path = form.dataset["try"] ?? "";
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-place]")) {
    const value = field.value.trim();
    if (field.dataset["place"] === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value) query.append(field.name, value);
  }
  return query.size ? `${path}?${query}` : path;
}

function readable(text: string): string {
  const cut = (all: string) => (all.length > MAX_CHARS ? `${all.slice(0, MAX_CHARS)}\n…` : all);
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return cut(text);
  }
}
