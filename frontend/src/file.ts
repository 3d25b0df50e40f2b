/** A file chosen beside a text field is read into the field: nothing is sent before the form is. */

const MAX_BYTES = 900_000;

export function enableFileChoice(choice: HTMLElement): void {
  const field = document.querySelector<HTMLTextAreaElement>(`#${choice.dataset["fileFor"]}`);
  const input = choice.querySelector("input");
  if (!field || !input) return;
  choice.hidden = false;
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void file.slice(0, MAX_BYTES).text().then((text) => (field.value = text));
  });
}
