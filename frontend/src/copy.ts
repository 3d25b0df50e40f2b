/** Buttons that put an address or a name on the clipboard. */

import { t } from "./texts";

const SHOWN_MS = 1600;

export function enableCopyButtons(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copyFrom(button));
  }
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-copy-page]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      button.dataset["copy"] = location.href;
      void copyFrom(button);
    });
  }
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  const done = await writeClipboard(button.dataset["copy"] ?? "");
  const label = (button.dataset["label"] ??= button.textContent ?? "");
  button.textContent = done ? t("Copied") : t("Copying was refused");
  button.setAttribute("aria-live", "polite");
  window.setTimeout(() => (button.textContent = label), SHOWN_MS);
}

async function writeClipboard(text: string): Promise<boolean> {
  // The clipboard is offered only on https and localhost; a portal on a plain http intranet has none.
  if (!navigator.clipboard) return writeBySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

function writeBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
