/** The words of the scripts in the language of the page; English where a catalogue has none. */

const catalogue = readCatalogue();

/** The text in the page's language, `{name}` replaced by values. */
export function t(english: string, values: Readonly<Record<string, string | number>> = {}): string {
  const found = catalogue[english] ?? english;
  return found.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

function readCatalogue(): Readonly<Record<string, string>> {
  const text = document.querySelector("#texts")?.textContent;
  return text ? (JSON.parse(text) as Record<string, string>) : {};
}
