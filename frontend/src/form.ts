/** The search form: filters answer at once, and empty fields stay out of the address. */

export function enableSearchForm(form: HTMLFormElement): void {
  document.documentElement.classList.add("has-script");
  for (const field of fields(form)) {
    if (field.type === "checkbox") field.addEventListener("change", () => form.requestSubmit());
    if (field.type === "radio") {
      // The relation says something only about a box.
      field.addEventListener("change", () => {
        if (hasBox(form)) form.requestSubmit();
      });
    }
  }
  form.addEventListener("submit", () => leaveOutEmpty(form));
  // The browser restores a page with its fields still switched off when one goes back.
  window.addEventListener("pageshow", () => fields(form).forEach((field) => (field.disabled = false)));
}

function leaveOutEmpty(form: HTMLFormElement): void {
  const boxed = hasBox(form);
  for (const field of fields(form)) {
    const idle = field.name === "relation" && (!boxed || field.value === "overlaps");
    if (field.value === "" || idle) field.disabled = true;
  }
}

function hasBox(form: HTMLFormElement): boolean {
  return fields(form).some((field) => field.name === "west" && field.value !== "");
}

function fields(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter((field) => field instanceof HTMLInputElement);
}
