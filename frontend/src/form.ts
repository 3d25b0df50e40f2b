/** The search form: filters answer at once, and empty fields stay out of the address. */

export function enableSearchForm(form: HTMLFormElement): void {
  document.documentElement.classList.add("has-script");
  // The map draws boxes; the fields are for who wants numbers, and for pages without scripts.
  const boxFields = document.querySelector<HTMLDetailsElement>(".box-fields");
  if (boxFields) boxFields.open = hasBox(form);
  for (const field of fields(form)) {
    if (field.type === "checkbox") field.addEventListener("change", () => form.requestSubmit());
    if (field.name === "mode") field.addEventListener("change", () => form.requestSubmit());
    if (field.name === "relation") {
      // The relation says something only about a box.
      field.addEventListener("change", () => {
        if (hasBox(form)) form.requestSubmit();
      });
    }
  }
  form.querySelector("select")?.addEventListener("change", () => form.requestSubmit());
  form.addEventListener("submit", () => leaveOutEmpty(form));
  if (isFresh() && fields(form).some(isTickedAnew)) form.requestSubmit();
  // The browser restores a page with its fields still switched off when one goes back.
  window.addEventListener("pageshow", () => fields(form).forEach((field) => (field.disabled = false)));
  window.addEventListener("pageshow", () => form.querySelector("select")?.removeAttribute("disabled"));
}

function leaveOutEmpty(form: HTMLFormElement): void {
  const boxed = hasBox(form);
  for (const field of fields(form)) {
    const idle = field.name === "relation" && (!boxed || field.value === "overlaps");
    const usual = field.name === "mode" && field.value === "both";
    if (field.value === "" || idle || usual) field.disabled = true;
  }
  const sort = form.querySelector("select");
  if (sort && sort.selectedIndex === 0) sort.disabled = true;
}

/** Somebody was quicker than this script. */
function isTickedAnew(field: HTMLInputElement): boolean {
  return field.type === "checkbox" && field.checked !== field.defaultChecked;
}

/** On the way back, or when a page is loaded again, browsers tick boxes themselves. */
function isFresh(): boolean {
  const [how] = performance.getEntriesByType("navigation");
  return how instanceof PerformanceNavigationTiming && how.type === "navigate";
}

function hasBox(form: HTMLFormElement): boolean {
  return fields(form).some((field) => field.name === "west" && field.value !== "");
}

function fields(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.elements].filter((field) => field instanceof HTMLInputElement);
}
