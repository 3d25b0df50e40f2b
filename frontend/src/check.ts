/** Check now: asks the portal to look at the service, and shows each request as it is made. */

import { element } from "./dom";
import { lines, problemOf } from "./ndjson";
import { t } from "./texts";

interface CheckEvent {
  readonly event: "request" | "result";
  readonly url?: string;
  readonly status?: number;
  readonly reason?: string | null;
  readonly ok?: boolean | null;
  readonly state?: string | null;
  readonly elapsed_ms?: number;
}

export function enableCheck(form: HTMLFormElement): void {
  const rest_s = Number(form.dataset["rest"] ?? "0");
  if (rest_s) window.setTimeout(() => form.querySelector("button")?.removeAttribute("disabled"), rest_s * 1000);
  form.addEventListener("submit", (event) => {
    const list = document.querySelector<HTMLElement>("[data-check-events]");
    if (!list) return;
    event.preventDefault();
    void check(form, list);
  });
}

async function check(form: HTMLFormElement, list: HTMLElement): Promise<void> {
  const button = form.querySelector("button");
  if (button) button.disabled = true;
  list.hidden = false;
  list.replaceChildren(element("li", t("Asking …")));
  try {
    const headers = { "X-CSRF-Token": form.dataset["csrf"] ?? "" };
    const answer = await fetch(form.dataset["check"] ?? "", { method: "POST", headers });
    if (!answer.ok || !answer.body) {
      list.replaceChildren(element("li", await problemOf(answer)));
      return;
    }
    list.replaceChildren();
    for await (const event of lines<CheckEvent>(answer.body)) list.append(row(event));
  } catch {
    list.append(element("li", t("No answer. Is the portal still running?")));
  }
}

function row(event: CheckEvent): HTMLElement {
  const made = element("li", "");
  if (event.event === "request") {
    made.append(`${event.status || event.reason || ""} `, element("code", event.url ?? ""));
    return made;
  }
  made.className = "test-result";
  const state = event.state ? t(event.state) : "";
  made.append(element("strong", event.ok ? t("It works.") : t("It does not work as it should.")));
  made.append(` ${[state, `${Math.round(event.elapsed_ms ?? 0)} ms`, event.reason ?? ""].filter(Boolean).join(" · ")} · `);
  const again = element("a", t("Show the new state"));
  again.href = location.pathname + location.search;
  made.append(again);
  return made;
}
