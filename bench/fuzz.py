"""Feeds hostile documents to every reader and tells which crash, hang or fill the memory.

Seeds are the documents of the geoweb and, where there are any, real ones (`--corpus`), which are only read. Three
ways of breaking them take turns, each in a process under watch: prefixes, mutations without guidance, and mutations
guided by coverage (Atheris where it is installed, else a tracer of lines).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import mutations
from hostile_reading import (
    PACKAGE,
    READ,
    Board,
    Case,
    Examiner,
    Finding,
    Lines,
    case_of,
    examine_apart,
    executable_lines,
    load_reader,
    make_seeds,
    record,
    restore,
)

HERE = Path(__file__).resolve().parent
STUCK_S = 30.0  # a worker that does not come back is ended
ADDRESS_SPACE_BYTES = 6_000_000_000
GUIDED_BYTES = 200_000
SHARES = {"prefixes": 0.15, "mutations": 0.25, "guided": 0.6}  # of the time
FAULTS = {"crashes": "crash", "hangs": "hang", "memory": "memory"}


def prefixes(seeds: Sequence[Case], rng: Random) -> Iterator[Case]:
    """Prefixes of every document in turn, at the marks of its syntax as well as anywhere."""
    while True:
        for case in seeds:
            end = rng.randrange(len(case.body) + 1)
            if rng.random() < 0.5:
                end = max(
                    case.body.find(
                        rng.choice((b"<", b">", b'"', b"=", b"{", b"[", b",")), end
                    ),
                    0,
                )
            yield Case(case.body[:end], case.url, case.content_type, case.status)


def mutants(seeds: Sequence[Case], rng: Random) -> Iterator[Case]:
    """Mutated documents; now and then one with a subtree ten thousand times."""
    bodies = [case.body for case in seeds]
    while True:
        case = rng.choice(seeds)
        altered = mutations.repeat if rng.random() < 0.02 else mutations.mutate
        body = altered(case.body, rng, bodies)
        if rng.random() < 0.3:
            yield case_of(body)
        else:
            yield Case(
                body,
                case.url,
                case.content_type,
                rng.choice((200, 200, 200, 404, 401, 500)),
            )


def guide_by_lines(
    examiner: Examiner, seeds: Sequence[Case], rng: Random, seconds: float
) -> None:
    """Mutation where inputs that reach new lines become seeds."""
    lines, pool, until = Lines(), list(seeds), time.monotonic() + seconds
    bodies = [case.body for case in pool]
    while time.monotonic() < until:
        case = case_of(
            mutations.mutate(
                rng.choice(pool[-500:] if rng.random() < 0.5 else pool).body,
                rng,
                bodies,
                GUIDED_BYTES,
            )
        )
        known = lines.count()
        sys.settrace(lines)
        examiner.examine(case)
        sys.settrace(None)
        if lines.count() > known:
            pool.append(case)


def guide_by_atheris(folder: Path, options: argparse.Namespace) -> None:
    """Hands this process to libFuzzer, which ends it when the time is over."""
    import atheris  # noqa: PLC0415

    with atheris.instrument_imports(include=["geohound"]):
        examiner = Examiner(folder, "guided")
    seeds = [case.body for case in make_seeds(options.corpus)]
    for number, body in enumerate(seeds):
        (folder / "corpus" / f"seed{number}").write_bytes(body[:GUIDED_BYTES])

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        rng = Random(seed)
        if rng.random() < 0.4:
            return bytes(atheris.Mutate(data, max_size))
        return mutations.mutate(data, rng, seeds, max_size)

    limits = f"-seed={options.seed} -max_total_time={int(options.seconds)} -max_len={GUIDED_BYTES} -timeout=600"
    switches = (
        f"-artifact_prefix={folder}/ -rss_limit_mb=0 -len_control=0 -detect_leaks=0"
    )
    arguments = [
        sys.argv[0],
        str(folder / "corpus"),
        *limits.split(),
        *switches.split(),
    ]
    atheris.Setup(
        arguments, lambda data: examiner.examine(case_of(data)), custom_mutator=mutator
    )
    atheris.Fuzz()


def work(phase: str, folder: Path, options: argparse.Namespace) -> None:
    """One phase, in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    rng = Random(options.seed)
    if phase == "guided" and importlib.util.find_spec("atheris"):
        guide_by_atheris(folder, options)
        return
    examiner = Examiner(folder, phase)
    seeds = make_seeds(options.corpus)
    if phase == "guided":
        guide_by_lines(examiner, seeds, rng, options.seconds)
    elif phase == "lines":
        count_lines(
            examiner,
            [
                *seeds,
                *(
                    case_of(p.read_bytes())
                    for p in sorted((folder / "corpus").iterdir())
                ),
            ],
        )
    else:
        until = time.monotonic() + options.seconds
        for case in (prefixes if phase == "prefixes" else mutants)(seeds, rng):
            examiner.examine(case)
            if time.monotonic() > until:
                return


def count_lines(examiner: Examiner, cases: Sequence[Case]) -> None:
    """How many lines of the readers all cases reach, and how many there are."""
    lines = Lines()
    for case in cases:
        sys.settrace(lines)
        with contextlib.suppress(Exception):  # a finding, and told as such elsewhere
            examiner.read(case)
        sys.settrace(None)
    paths = [
        p
        for part in READ
        for p in (
            PACKAGE.rglob(part)
            if part.endswith(".py")
            else (PACKAGE / part).glob("*.py")
        )
    ]
    all_lines = sum(
        len(executable_lines(compile(p.read_text(encoding="utf-8"), str(p), "exec")))
        for p in paths
    )
    (examiner.folder / "lines.json").write_text(
        json.dumps({"reached": lines.count(), "of": all_lines})
    )


def _command(phase: str, folder: Path, options: argparse.Namespace) -> list[str]:
    own = [sys.executable, str(Path(__file__)), "--phase", phase]
    return [*own, "--folder", str(folder), "--corpus", str(options.corpus)]


def watch(
    phase: str, folder: Path, options: argparse.Namespace, seconds: float
) -> None:
    """Runs a phase for its time, starting it again where a case ended or stopped it."""
    board = Board(folder / "board")
    until = time.monotonic() + seconds
    seed = options.seed
    while (left := until - time.monotonic()) > 1:
        command = [
            *_command(phase, folder, options),
            "--seconds",
            str(left),
            "--seed",
            str(seed),
        ]
        with (
            (folder / f"{phase}.log").open("ab") as log,
            subprocess.Popen(command, stderr=log) as worker,
        ):
            first = seen = board.executions
            since = time.monotonic()
            while worker.poll() is None:
                time.sleep(0.25)
                if board.executions != seen:
                    seen, since = board.executions, time.monotonic()
                elif time.monotonic() - since > (
                    STUCK_S if seen > first else 4 * STUCK_S
                ):
                    worker.kill()
                    record(
                        folder,
                        Finding(
                            "hang", f"stuck in phase {phase}", board.case(), STUCK_S
                        ),
                    )
        if board.executions == first:
            print(
                f"the phase {phase} does not start:\n",
                (folder / f"{phase}.log").read_text()[-2000:],
            )
            time.sleep(10)
            continue
        if worker.returncode not in (0, -signal.SIGKILL):
            record(
                folder,
                Finding(
                    "crash", f"the process ended with {worker.returncode}", board.case()
                ),
            )
        elif worker.returncode == 0:
            return
        seed += 1


def minimise(
    read: Callable[[Case], None], finding: Finding, budget_s: float = 30.0
) -> Finding:
    """The same fault with less: pieces are left out, large ones first, as long as it stays."""
    best, until = finding, time.monotonic() + budget_s
    size = len(best.case.body) // 2
    while size and time.monotonic() < until:
        start = 0
        while start < len(best.case.body) and time.monotonic() < until:
            body = best.case.body[:start] + best.case.body[start + size :]
            smaller = examine_apart(
                read,
                Case(body, best.case.url, best.case.content_type, best.case.status),
            )
            if smaller.fault == best.fault and smaller.place == best.place:
                best = smaller
            else:
                start += size
        size //= 2
    return best


def settle(folder: Path, read: Callable[[Case], None]) -> tuple[list[Finding], int]:
    """The findings that stand when read anew by the code as it is, minimised; and how many did not."""
    path = folder / "findings"
    told = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )
    found: dict[tuple[str, str], Finding] = {}
    gone = 0
    for values in told:
        again = examine_apart(read, restore(values["case"]))
        if not again.fault:
            gone += 1
        elif (again.fault, again.place or values["place"]) not in found:
            found[again.fault, again.place or values["place"]] = minimise(read, again)
    return list(found.values()), gone


def run(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        (folder / "corpus").mkdir()
        began = time.monotonic()
        counts: dict[str, int] = {}
        for phase, share in SHARES.items():
            before = Board(folder / "board").executions
            watch(phase, folder, options, options.minutes * 60 * share)
            counts[phase] = Board(folder / "board").executions - before
            print(f"{phase}: {counts[phase]} executions", flush=True)
        took_s = time.monotonic() - began
        read = load_reader()
        findings, gone = settle(folder, read)
        slowest = max((examine_apart(read, restore(json.loads(p.read_text()))) for p in folder.glob("slowest-*.json")),
                      key=lambda f: f.cpu_s)  # fmt: skip
        subprocess.run(
            [*_command("lines", folder, options), "--seconds", "0"], check=True
        )
        return {
            "command": f"python bench/fuzz.py --minutes {options.minutes:g} --seed {options.seed}",
            "fuzzer": "atheris (libFuzzer) and own mutations"
            if importlib.util.find_spec("atheris")
            else "own, by lines",
            "python": sys.version.split()[0],
            "minutes": round(took_s / 60, 1),
            "executions": sum(counts.values()),
            "executions by phase": counts,
            "executions_per_s": round(sum(counts.values()) / took_s, 1),
            "coverage lines": json.loads((folder / "lines.json").read_text()),
            **{
                name: sum(f.fault == fault for f in findings)
                for name, fault in FAULTS.items()
            },
            "found in the run, gone when read again at its end": gone,
            "slowest input s": slowest.cpu_s,
            "slowest input bytes": len(slowest.case.body),
            "findings": [
                {
                    **asdict(f),
                    "case": f.case.as_json()
                    if len(f.case.body) < 4000
                    else len(f.case.body),
                }
                for f in findings
            ],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument(
        "--corpus", type=Path, default=HERE.parent.parent / "shared" / "corpus"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "fuzz.json")
    parser.add_argument(
        "--phase", choices=(*SHARES, "lines"), help="only that one, in this process"
    )
    parser.add_argument(
        "--folder", type=Path, help="where the phase keeps its findings"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    if options.phase:
        work(options.phase, options.folder, options)
        return
    result = run(options)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
