/** Entry of every page: small comforts at once, the map only on pages that have one. */

import "./style.css";
import { enableCopyButtons } from "./copy";

enableCopyButtons(document);

const target = document.querySelector<HTMLElement>("[data-map]");
if (target) {
  const { showMap } = await import("./map");
  const map = showMap(target);
  if (target.dataset["preview"]) {
    const { enablePreview } = await import("./preview");
    enablePreview(map, target);
  }
}

const form = document.querySelector<HTMLFormElement>("#ask");
if (form) {
  const { enableSearchForm } = await import("./form");
  enableSearchForm(form);
}
