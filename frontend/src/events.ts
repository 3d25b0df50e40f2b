/** Events of a task: server-sent, and by long polling where something between here and the portal blocks that. */

export interface TaskEvent {
  readonly n: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

const WAIT_S = 25;
const PAUSE_MS = 2_000;
const MAX_FAILURES = 3;

/** Hand every event after this number to `take`, until it returns false or the page is left. */
export function follow(task: string, after: number, take: (event: TaskEvent) => boolean): void {
  let last = after;
  let failures = 0;
  const source = new EventSource(`/api/v1/tasks/${task}/events?after=${after}`);
  const accept = (event: TaskEvent): boolean => {
    if (event.n <= last) return true;
    last = event.n;
    return take(event);
  };
  source.addEventListener("message", (message: MessageEvent<string>) => {
    failures = 0;
    if (!accept(JSON.parse(message.data) as TaskEvent)) source.close();
  });
  source.addEventListener("error", () => {
    failures += 1;
    // A browser comes again by itself, after the last event, but not once it was refused, as where too many follow.
    // Where it is refused, or nothing ever comes, events are asked for.
    if (source.readyState !== EventSource.CLOSED && failures < MAX_FAILURES) return;
    source.close();
    void poll(task, () => last, accept);
  });
  window.addEventListener("pagehide", () => source.close());
}

async function poll(task: string, last: () => number, accept: (event: TaskEvent) => boolean): Promise<void> {
  let wait_s = WAIT_S;
  for (;;) {
    try {
      const asked = performance.now();
      const answer = await fetch(`/api/v1/tasks/${task}/events?after=${last()}&wait=${wait_s}`);
      if (answer.status === 503) wait_s = 0; // too many wait already
      if (answer.status === 404 || answer.status === 403) return;
      if (!answer.ok) throw new Error(String(answer.status));
      const { events } = (await answer.json()) as { events: TaskEvent[] };
      for (const event of events) if (!accept(event)) return;
      // Nothing, and at once: nothing more will come of this task.
      if (!events.length && wait_s && performance.now() - asked < PAUSE_MS) return;
      if (!wait_s) await pause();
    } catch {
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resume) => window.setTimeout(resume, PAUSE_MS));
}
