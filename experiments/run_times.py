"""Sidsten 2012, sections 4.3.4 and 6.2.1: how long all modules take, by steps of the agent and machines; and ours."""

from __future__ import annotations

import argparse
from typing import Any

from _frame import DEPTHS, OSS, figure, markdown, save
from _hunts import Run, hunt, web
from matplotlib.axes import Axes

from geohound.agent.measures import RunTimeModel
from geohound.agent.rules import SEED_QUERIES

MODEL = RunTimeModel()
STEPS = tuple(range(1, 102, 10))
MACHINES = (1, 2, 3, 4)
FOUND = ((0, 0), (31, 545), (61, 590))  # services of the best agents by step
CRAWL_FACTOR = 3.6  # services of the crawl for each of the agent
PANELS = {
    "depth 3, parsed after": (False, False),
    "depth 3, parsed meanwhile": (False, True),
    "chosen depth, parsed after": (True, False),
    "chosen depth, parsed meanwhile": (True, True),
}
HOURS, SERVICES = 33, 3000  # for 31 steps on two machines, the best way (section 6.2.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=421)
    seed = parser.parse_args().seed
    with web(seed, 150, 6_000) as (world, port):
        alive = sum(p.alive for p in world.services)
        alone = hunt(port, SEED_QUERIES, max_queries=31)
        both = hunt(
            port, SEED_QUERIES, steps=("search", "crawl"), max_queries=31, max_depth=3
        )
    model = {
        name: {
            m: [round(hours(steps, m, *ways), 1) for steps in STEPS] for m in MACHINES
        }
        for name, ways in PANELS.items()
    }
    ours = {"search alone": told(alone), "search and crawl": told(both)}
    found = {"model, hours": model, "ours": ours, "alive": alive, "steps": STEPS}
    best = hours(31, 2, *PANELS["chosen depth, parsed meanwhile"])
    title = (
        f"The published model gives {best:.0f} hours for 31 steps on two machines ({HOURS} in the text)"
    )  # fmt: skip
    subtitle = "Hours of all modules by steps of the agent; darker: more machines"
    with figure(title, subtitle, (1, 1, 1, 1)) as axes:
        for place, (name, curves) in zip(axes, model.items(), strict=True):
            draw(place, name, curves)
        published = {"source": OSS, "hours": HOURS, "services": SERVICES}
        source = f"Published: {OSS}, figures 6.3 to 6.6; drawn anew from the constants of section 4.3.4."
        data = {"published": published, "measured": found}
        save("run_times", axes, source, data, table(found, best))


def services_after(steps: int) -> float:
    """f_s(i): by the published points of the agent, with what the crawl adds."""
    (at, low), (end, high) = FOUND[:2] if steps <= FOUND[1][0] else FOUND[1:]
    share = min(1.0, (steps - at) / (end - at))
    return (low + (high - low) * share) * (1 + CRAWL_FACTOR)


def hours(steps: int, machines: int, chooses: bool, meanwhile: bool) -> float:
    return MODEL.hours(
        steps, services_after(steps), machines,
        chooses_depth=chooses, parses_meanwhile=meanwhile,
    )  # fmt: skip


def told(run: Run) -> dict[str, Any]:
    seconds = run.counters["elapsed_s"]
    return {
        "seconds": round(seconds, 1),
        "requests": run.counters["requests"],
        "services": len(run.services),
        "services per second": round(len(run.services) / seconds, 2),
    }


def draw(axes: Axes, name: str, curves: dict[int, list[float]]) -> None:
    for colour, (machines, values) in zip(DEPTHS, curves.items(), strict=True):
        axes.plot(STEPS, values, color=colour, label=f"{machines}")
    axes.set(title=name, xlabel="steps", ylabel="hours", ylim=(0, 100))
    axes.title.set_fontsize(8.5)
    axes.legend(title="machines", fontsize=7.5, title_fontsize=7.5)


def table(found: dict[str, Any], best: float) -> str:
    at = STEPS.index(31)
    rows = [
        [name, *(f"{curves[m][at]:.0f}" for m in MACHINES)]
        for name, curves in found["model, hours"].items()
    ]
    ours = [[name, *run.values()] for name, run in found["ours"].items()]
    head = ["ours", "seconds", "requests", "services", "services a second"]
    return (
        "# Run times\n\n"
        "The published model, and one real run of each of our two ways on one made-up web, without a measure of spread. "
        "That more\nservices are found than the web counts as live has not been looked into.\n\n"
        f"Hours for 31 steps by the published model, t(m, i) = t_a + t_e + t_c + t_p + t_o + t_n. The text has {HOURS} "
        f"hours for two machines and the best way; the constants give {best:.1f}, as they leave out what two machines "
        "lose by dividing groups.\n\n"
        f"{markdown(['way', *(f'machines: {m}' for m in MACHINES)], rows)}\n"
        f"Ours has no modules that wait for each other: pages are read, mined and tested while queries go on. On one "
        f"geoweb with {found['alive']} live services, 31 requests to its search engine, hosts without delays:\n\n"
        f"{markdown(head, ours)}"
    )


if __name__ == "__main__":
    main()
