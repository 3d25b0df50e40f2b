"""What every store of tasks must do, whatever database is behind it: the TaskDAO of PolarHub.

Li, Wang & Bhatia 2016, section 4.1: what is kept is apart from what crawls, so that either can be replaced.
"""

import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from sql_stores import STORES, open_database

from geohound.contracts import FencedError
from geohound.model.crawl.event import (
    Progressed,
    ServiceFound,
    StateChanged,
    VisitEnded,
    Waiting,
    Warned,
)
from geohound.model.crawl.task import (
    UNFINISHED,
    Budget,
    Checkpoint,
    CrawlGoal,
    Ending,
    Policy,
    Scope,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.stores.memory.tasks import MemoryTasks
from geohound.stores.sql.tasks import SqlTasks

TTL_S = 30.0
MANY = 20  # events that are kept here


class StillClock:
    passed_s = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s

    async def sleep(self, seconds):
        self.passed_s += seconds


def open_tasks(name, folder, clock, stack):
    if name == "memory":
        return MemoryTasks(clock, MANY)
    database = open_database(name, folder)
    stack.callback(database.close)
    return SqlTasks(database, clock, MANY)


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture(params=STORES)
def tasks(request, tmp_path, clock):
    with ExitStack() as stack:
        yield open_tasks(request.param, tmp_path, clock, stack)


def states(tasks, task):
    return [
        str(n.event.state)
        for n in tasks.events(task).events
        if isinstance(n.event, StateChanged)
    ]


def test_a_task_keeps_what_was_asked_for(tasks, clock):
    """PH-13: the TaskDAO of section 4.1."""
    spec = TaskSpec(
        CrawlGoal(
            ("http://a.test/",),
            Scope.DOMAIN,
            ("wms", "wfs"),
            (-1.5, 2.0, 3.0, 4.0),
            "fifo",
            max_depth=3,
        ),
        Budget(max_pages=7, max_time_s=1.5),
        Policy(("*.test=127.0.0.1:8000",), ("127.0.0.0/8",), ("8899",)),
    )
    made = tasks.create(spec)
    assert tasks.get(made.id) == made
    assert (made.spec, made.state, made.wanted) == (spec, TaskState.QUEUED, Wanted.RUN)
    assert (made.created_at, made.finished_at, made.ending) == (clock.now(), None, None)
    assert not made.is_held(clock.now())
    assert tasks.get(made.id + 1) is None


def test_the_latest_task_is_listed_first_and_those_that_are_done_can_be_left_out(tasks):
    first = tasks.create(TaskSpec())
    second = tasks.create(TaskSpec(), TaskState.STOPPED)
    claim = tasks.claim(second.id, "one", TTL_S)
    tasks.release(claim, TaskState.DONE, Ending.FINISHED)
    assert [task.id for task in tasks.list()] == [second.id, first.id]
    assert [task.id for task in tasks.list(UNFINISHED)] == [first.id]


def test_a_task_may_get_another_limit_of_pages(tasks):
    first, other = (
        tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)), Budget(7, 1.5))).id
        for _ in range(2)
    )
    tasks.limit_pages(first, 9)
    tasks.limit_pages(99, 9)
    assert tasks.get(first).spec == TaskSpec(
        CrawlGoal(("http://a.test/",)), Budget(9, 1.5)
    )
    assert tasks.get(other).spec.budget == Budget(7, 1.5)


def test_the_events_of_a_task_begin_when_it_is_queued_or_run(tasks):
    """Who follows it until it stops would leave at once."""
    queued, held = (
        tasks.create(TaskSpec(), state).id
        for state in (TaskState.QUEUED, TaskState.STOPPED)
    )
    assert (states(tasks, queued), states(tasks, held)) == (["queued"], [])
    tasks.claim(held, "one", TTL_S)
    assert states(tasks, held) == ["running"]


def test_one_holder_at_a_time_until_its_claim_runs_out(tasks, clock):
    task = tasks.create(TaskSpec()).id
    first = tasks.claim(task, "one", TTL_S)
    assert tasks.claim(task, "two", TTL_S) is None
    clock.passed_s += TTL_S - 1
    assert tasks.renew(first, TTL_S) is Wanted.RUN
    clock.passed_s += TTL_S - 1
    assert tasks.claim(task, "two", TTL_S) is None, "it was renewed"
    clock.passed_s += 2
    assert not tasks.get(task).is_held(clock.now())
    second = tasks.claim(task, "two", TTL_S)
    assert second.epoch == first.epoch + 1
    assert tasks.claim(99, "two", TTL_S) is None


@pytest.mark.parametrize("lost_by", ["another", "release", "deletion"])
def test_a_stale_holder_writes_nothing(tasks, clock, lost_by):
    task = tasks.create(TaskSpec()).id
    stale = tasks.claim(task, "one", TTL_S)
    tasks.save(stale, Checkpoint({"pages": 1}, b"learned"))
    match lost_by:
        case "another":
            clock.passed_s += TTL_S
            tasks.claim(task, "one", TTL_S)  # even under the same name
        case "release":
            tasks.release(stale, TaskState.STOPPED, Ending.TIME)
        case "deletion":
            clock.passed_s += TTL_S
            assert tasks.delete(task)
    before = tasks.get(task), tasks.events(task), tasks.checkpoint(task)
    for write in (
        lambda: tasks.renew(stale, TTL_S),
        lambda: tasks.save(stale, Checkpoint({"pages": 2})),
        lambda: tasks.emit(stale, [Warned("late")]),
        lambda: tasks.release(stale, TaskState.DONE, Ending.FINISHED),
    ):
        with pytest.raises(FencedError):
            write()
    tasks.expire(stale)
    assert (tasks.get(task), tasks.events(task), tasks.checkpoint(task)) == before


def test_a_holder_that_is_gone_need_not_be_waited_for(tasks, clock):
    task = tasks.create(TaskSpec()).id
    first = tasks.claim(task, "one", TTL_S)
    tasks.expire(first)
    assert not tasks.get(task).is_held(clock.now())
    assert tasks.claim(task, "two", TTL_S) is not None


def test_when_a_run_ended_is_known_until_one_is_killed(tasks, clock):
    task = tasks.create(TaskSpec()).id
    tasks.release(tasks.claim(task, "one", TTL_S), TaskState.STOPPED, Ending.TIME)
    ended_at = clock.now()
    clock.passed_s += 5
    tasks.claim(task, "two", TTL_S)
    assert tasks.get(task).finished_at == ended_at
    clock.passed_s += TTL_S
    tasks.claim(task, "three", TTL_S)
    assert tasks.get(task).finished_at is None


def test_what_is_wanted_reaches_whoever_runs_it(tasks):
    task = tasks.create(TaskSpec()).id
    claim = tasks.claim(task, "one", TTL_S)
    assert tasks.want(task, Wanted.PAUSE).state is TaskState.RUNNING
    assert tasks.renew(claim, TTL_S) is Wanted.PAUSE
    tasks.release(claim, TaskState.PAUSED, Ending.PAUSED)
    assert states(tasks, task) == ["queued", "running", "paused"]
    assert tasks.want(99, Wanted.RUN) is None


@pytest.mark.parametrize(
    ("wanted", "state", "ending"),
    [
        (Wanted.RUN, TaskState.QUEUED, Ending.STOPPED),
        (Wanted.PAUSE, TaskState.PAUSED, Ending.PAUSED),
        (Wanted.STOP, TaskState.STOPPED, Ending.STOPPED),
    ],
)
def test_a_task_is_queued_again_only_if_that_is_wanted_when_it_is_let_go(
    tasks, wanted, state, ending
):
    task = tasks.create(TaskSpec()).id
    claim = tasks.claim(task, "one", TTL_S)
    tasks.want(task, Wanted.STOP)
    tasks.want(task, wanted)
    assert tasks.release(claim, TaskState.QUEUED, Ending.STOPPED) is state
    assert (tasks.get(task).state, tasks.get(task).ending) == (state, ending)
    assert states(tasks, task) == ["queued", "running", str(state)]


@pytest.mark.parametrize(
    ("wanted", "state"),
    [
        (Wanted.RUN, TaskState.QUEUED),
        (Wanted.PAUSE, TaskState.PAUSED),
        (Wanted.STOP, TaskState.STOPPED),
    ],
)
def test_what_is_wanted_of_a_task_that_nobody_runs_is_so_at_once(tasks, wanted, state):
    task = tasks.create(TaskSpec()).id
    tasks.release(tasks.claim(task, "one", TTL_S), TaskState.STOPPED, Ending.TIME)
    assert tasks.want(task, wanted).state is state
    done = tasks.create(TaskSpec(), TaskState.DONE).id
    assert tasks.want(done, wanted).state is TaskState.DONE


def test_a_checkpoint_is_read_back(tasks):
    task = tasks.create(TaskSpec()).id
    assert tasks.checkpoint(task) == Checkpoint()
    kept = Checkpoint({"pages": 7, "kinds": {"wms": 2}}, b"\x00learned")
    tasks.save(tasks.claim(task, "one", TTL_S), kept)
    assert tasks.checkpoint(task) == kept
    assert tasks.get(task).counters == kept.counters


def test_a_task_that_somebody_runs_is_not_deleted(tasks, clock):
    task = tasks.create(TaskSpec()).id
    claim = tasks.claim(task, "one", TTL_S)
    assert not tasks.delete(task)
    tasks.release(claim, TaskState.STOPPED, Ending.STOPPED)
    assert tasks.delete(task)
    assert (tasks.get(task), tasks.events(task).events) == (None, ())
    assert tasks.create(TaskSpec()).id > task, "a number is not given twice"


def test_every_type_of_event_is_read_back(tasks, clock):
    task = tasks.create(TaskSpec()).id
    claim = tasks.claim(task, "one", TTL_S)
    sent = [
        ServiceFound("0f", "http://a.test/wms", "wms", "Flüsse", 3, 4, 1.25),
        Progressed(
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            24,
            8,
            1.5,
            0.5,
            1.0,
            0.7,
            3.5,
            120.5,
            "hosts",
            {"robots.txt": 2},
        ),
        VisitEnded("http://a.test/", "page", 200, "", 0, 0.1),
        Waiting("network"),
        Warned("look"),
        StateChanged(TaskState.RUNNING, Ending.TIME),
    ]
    clock.passed_s += 1
    tasks.emit(claim, sent)
    page = tasks.events(task, after=2)
    assert [numbered.event for numbered in page.events] == sent
    assert [numbered.n for numbered in page.events] == [3, 4, 5, 6, 7, 8]
    assert {numbered.at for numbered in page.events} == {clock.now()}
    assert [numbered.n for numbered in tasks.events(task, after=3, limit=2).events] == [
        4,
        5,
    ]


def test_of_many_events_the_oldest_go_and_the_first_that_is_left_is_named(tasks):
    task = tasks.create(TaskSpec()).id
    claim = tasks.claim(task, "one", TTL_S)
    for start in range(0, MANY, 5):
        tasks.emit(claim, [Warned(str(number)) for number in range(start, start + 5)])
    page = tasks.events(task)
    assert page.first == 3
    assert [numbered.n for numbered in page.events] == list(range(3, MANY + 3))


class TaskLaws(RuleBasedStateMachine):
    """One holder at a time; epochs grow; a stale holder writes nothing; events are numbered without gaps."""

    store = "memory"
    made = Bundle("made")
    claims = Bundle("claims")

    def __init__(self):
        super().__init__()
        self.stack = ExitStack()
        self.clock = StillClock()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.tasks = open_tasks(self.store, folder, self.clock, self.stack)
        self.held = {}  # the claim that counts, by task, and until when
        self.epochs = {}
        self.saved = {}
        self.seen = {}  # the numbers of events read so far, by task
        self.gone = set()

    def teardown(self):
        self.stack.close()

    @initialize(target=made)
    def one_task(self):
        return self.tasks.create(TaskSpec()).id

    @rule(target=made)
    def create(self):
        return self.tasks.create(TaskSpec()).id

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds):
        self.clock.passed_s += seconds

    @rule(target=claims, task=made, holder=st.sampled_from("ab"))
    def claim(self, task, holder):
        claim = self.tasks.claim(task, holder, TTL_S)
        is_held = self.held.get(task, (None, -1.0))[1] > self.clock.passed_s
        assert (claim is None) == (is_held or task in self.gone)
        if claim is not None:
            assert claim.epoch == self.epochs.get(task, 0) + 1
            self.epochs[task] = claim.epoch
            self.held[task] = claim, self.clock.passed_s + TTL_S
        return claim

    @rule(task=made, wanted=st.sampled_from(list(Wanted)))
    def want(self, task, wanted):
        found = self.tasks.want(task, wanted)
        assert (found is None) == (task in self.gone)
        assert found is None or found.wanted is wanted

    def _write(self, claim, write):
        """Try it; it must succeed with the claim that counts, and with no other."""
        if claim is None:
            return False
        counts = self.held.get(claim.task, (None, 0.0))[0] == claim
        if counts:
            write()
        else:
            with pytest.raises(FencedError):
                write()
        return counts

    @rule(claim=claims)
    def renew(self, claim):
        if self._write(claim, lambda: self.tasks.renew(claim, TTL_S)):
            until = self.tasks.get(claim.task).expires_at - StillClock().now()
            assert until.total_seconds() >= self.clock.passed_s + TTL_S / 2 - 0.001
            self.held[claim.task] = claim, until.total_seconds()

    @rule(claim=claims, pages=st.integers(0, 99))
    def save(self, claim, pages):
        if self._write(
            claim, lambda: self.tasks.save(claim, Checkpoint({"pages": pages}))
        ):
            self.saved[claim.task] = {"pages": pages}

    @rule(claim=claims, count=st.integers(1, 9))
    def emit(self, claim, count):
        self._write(claim, lambda: self.tasks.emit(claim, [Warned("x")] * count))

    @rule(
        claim=claims,
        state=st.sampled_from([TaskState.DONE, TaskState.PAUSED, TaskState.STOPPED]),
    )
    def release(self, claim, state):
        if self._write(claim, lambda: self.tasks.release(claim, state, Ending.TIME)):
            del self.held[claim.task]
            assert self.tasks.get(claim.task).state is state

    @rule(claim=claims)
    def expire(self, claim):
        if claim is not None:
            self.tasks.expire(claim)
            if self.held.get(claim.task, (None, 0.0))[0] == claim:
                self.held[claim.task] = claim, -1.0

    @rule(task=made)
    def delete(self, task):
        is_held = self.held.get(task, (None, -1.0))[1] > self.clock.passed_s
        assert self.tasks.delete(task) != is_held
        if not is_held:
            self.gone.add(task)
            self.held.pop(task, None)
            self.saved.pop(task, None)

    @invariant()
    def numbers_rise_by_one_and_the_latest_are_kept(self):
        for task in self.tasks.list():
            page = self.tasks.events(task.id)
            numbers = [numbered.n for numbered in page.events]
            assert numbers == list(range(page.first, page.first + len(numbers)))
            assert page.first == 1 or len(numbers) == MANY
            assert numbers[-1] >= self.seen.get(task.id, 1)
            self.seen[task.id] = numbers[-1]

    @invariant()
    def what_was_saved_is_there(self):
        for task in self.tasks.list():
            assert task.id not in self.gone
            assert task.counters == self.saved.get(task.id, {})


class SqliteTaskLaws(TaskLaws):
    store = "sqlite"


class PostgresTaskLaws(TaskLaws):
    store = "postgres"


TestTaskLawsInMemory = TaskLaws.TestCase
TestTaskLawsInSqlite = SqliteTaskLaws.TestCase
TestTaskLawsInPostgres = PostgresTaskLaws.TestCase
TestTaskLawsInMemory.settings = fuzzed(60, stateful_step_count=40)
TestTaskLawsInSqlite.settings = fuzzed(15, stateful_step_count=30)
TestTaskLawsInPostgres.settings = fuzzed(15, stateful_step_count=30)
