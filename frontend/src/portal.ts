/** Entry of every page: small comforts at once, the map only on pages that have one. */

import "./style.css";
import "./tasks.css";
import "./figures.css";
import "./maps.css";
import { enableCopyButtons } from "./copy";

enableCopyButtons(document);

/** A menu closes with Escape, where one clicks beside it, and when one has chosen a link of it. */
for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu")) {
  document.addEventListener("click", (event) => {
    const clicked = event.target as Element;
    if (!menu.contains(clicked) || clicked.closest("a")) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}

for (const select of document.querySelectorAll<HTMLSelectElement>("select[data-submit]")) {
  document.documentElement.classList.add("has-script");
  select.addEventListener("change", () => select.form?.requestSubmit());
}

const target = document.querySelector<HTMLElement>("[data-map]");
if (target) {
  const { showMap } = await import("./map");
  showMap(target);
}

const task = document.querySelector<HTMLElement>("article.live");
if (task) {
  const { showTask } = await import("./task");
  await showTask(task);
}

const form = document.querySelector<HTMLFormElement>("#ask");
if (form) {
  const { enableSearchForm } = await import("./form");
  enableSearchForm(form);
}

const words = document.querySelector<HTMLInputElement>("[data-complete]");
if (words?.form) {
  const { enableCompletion } = await import("./complete");
  enableCompletion(words, words.form);
}

const tested = document.querySelector<HTMLFormElement>("[data-test]");
if (tested) {
  const { enableAddressTest } = await import("./address-test");
  enableAddressTest(tested);
}

const checked = document.querySelector<HTMLFormElement>("[data-check]");
if (checked) {
  const { enableCheck } = await import("./check");
  enableCheck(checked);
}

const previews = document.querySelector<HTMLButtonElement>("[data-previews]");
if (previews) {
  const { enablePreviews } = await import("./previews");
  enablePreviews(previews);
}

const choice = document.querySelector<HTMLElement>("[data-file-for]");
if (choice) {
  const { enableFileChoice } = await import("./file");
  enableFileChoice(choice);
}

const tries = document.querySelectorAll<HTMLFormElement>("[data-try]");
if (tries.length) {
  const { enableTries } = await import("./try");
  enableTries(tries);
}
