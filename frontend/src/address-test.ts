/** Tests an address that the catalogue does not have, and shows each request as it is made. */

import { element } from "./dom";
import { lines, problemOf } from "./ndjson";
import { t } from "./texts";

interface TestEvent {
  readonly event: "request" | "result" | "failed";
  readonly url?: string;
  readonly status?: number;
  readonly reason?: string;
  readonly kind?: string | null;
  readonly title?: string;
  readonly layer_count?: number;
  readonly endpoint?: string | null;
  readonly refusal?: { reason: string; detail: string } | null;
}

const UNTOLD = ["unreachable", "inconclusive"];

export function enableAddressTest(form: HTMLFormElement): void {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void test(form);
  });
}

async function test(form: HTMLFormElement): Promise<void> {
  const list = form.querySelector<HTMLElement>("[data-test-events]");
  const button = form.querySelector("button");
  if (!list || !button) return;
  button.disabled = true;
  list.replaceChildren(element("li", t("Asking …")));
  try {
    const answer = await fetch("/api/v1/identify", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": form.dataset["csrf"] ?? "" },
      body: JSON.stringify({ url: form.dataset["test"] }),
    });
    if (!answer.ok || !answer.body) {
      list.replaceChildren(element("li", await problemOf(answer)));
      button.disabled = false;
      return;
    }
    list.replaceChildren();
    for await (const event of lines<TestEvent>(answer.body)) {
      const made = row(event, form.dataset["test"] ?? "");
      if (event.event === "request") list.append(made);
      else list.prepend(made);
    }
  } catch {
    list.append(element("li", t("The test could not be made.")));
  }
  button.disabled = false;
}

function row(event: TestEvent, address: string): HTMLElement {
  if (event.event === "request") {
    const made = element("li", `${event.status || event.reason || ""} `);
    made.append(element("code", event.url ?? ""));
    return made;
  }
  const made = document.createElement("li");
  made.className = "test-result";
  made.value = 0; // the requests are counted from one
  if (event.kind) {
    made.append(element("strong", `${event.kind.toUpperCase()}: ${event.title || event.endpoint || ""}`));
    made.append(` · ${t("{n} layers", { n: event.layer_count ?? 0 })} · `);
  } else {
    made.append(`${refused(event)} · `);
  }
  // A page that is no service may still lead to some.
  const crawl = element("a", t("Crawl this site"));
  crawl.href = `/tasks?${new URLSearchParams({ seeds: address })}`;
  made.append(crawl);
  return made;
}

/** Why it is no service; where nobody answered, nobody can say that. */
function refused({ refusal }: TestEvent): string {
  const { reason = "", detail = "" } = refusal ?? {};
  if (UNTOLD.includes(reason)) return t("It could not be told: {reason}", { reason: detail || reason });
  return t("This is no service: {reason}", { reason: [reason, detail].filter(Boolean).join(", ") });
}
