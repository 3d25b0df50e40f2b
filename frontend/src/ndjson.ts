/** Answers that come line by line, each line a JSON value. */

export async function* lines<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? "";
    const complete = rest.split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) if (line) yield JSON.parse(line) as T;
    if (done) return;
  }
}

/** What went wrong, in the words of the portal. */
export async function problemOf(answer: Response): Promise<string> {
  try {
    return String(((await answer.json()) as { detail?: unknown }).detail ?? answer.status);
  } catch {
    return String(answer.status);
  }
}
