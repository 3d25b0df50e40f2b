"""Scripts made to be dear: each is read within its budget, and what stands beside the trap is still found."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from books import analyse
from hypothesis import given
from hypothesis import strategies as st

from geohound.jsflow import AnalysisBudget, Script
from geohound.jsflow.sinks import config
from geohound.jsflow.syntax import parsing
from geohound.jsflow.syntax.preprocess import clean

PAGE = "https://p.test/"
HONEST = 'L.tileLayer.wms("https://h.test/wms").addTo(m);\n'
BUDGET = AnalysisBudget(steps=400_000)


def _branches(count: int) -> str:
    return "".join(f"var b{i + 1}=b{i}+(q{i}?'a':'b');" for i in range(count))


TRAPS = {
    "endless brackets": lambda: "(" * 500_000,
    "endless objects": lambda: "x={a:" * 200_000,
    "endless arrays": lambda: "[" * 500_000,
    "endless templates": lambda: "`${" * 200_000,
    "endless ternaries": lambda: "x=" + "a?" * 200_000,
    "endless quotes": lambda: "'" * 1_000_000,
    "endless functions": lambda: "function f(){" * 50_000,
    "endless calls": lambda: "wms(" * 100_000,
    "a sum of many terms": lambda: "wms(" + "+".join(["'a'"] * 100_000) + ");",
    "one long line": lambda: "var wms='" + "x" * 20_000_000 + "';",
    "many letters in one run": lambda: "var a='" + "wmsUrl" * 500_000 + "';",
    "doubling strings": lambda: "".join(f"var s{i + 1}=s{i}+s{i};" for i in range(200)) + "var s0='wms';WMS(s200);",
    "doubling branches": lambda: _branches(60) + "var b0='wms/';WMS(b60);",
    "repeated strings": lambda: "WMSLayer('wms'.repeat(1e9).repeat(1e9));",
    "a pattern that doubles with every letter": lambda: (
        "WMSLayer(('" + ("a" * 26 + "b") * 70 + "wms').replace(/" + "a?" * 26 + "a" * 26 + "c/g,''));"
    ),
    "a function that calls itself": lambda: "function f(x){return f(x+'wms')+f(x)} WMSLayer(f('a'));",
    "functions that call each other": lambda: (
        "".join(f"function f{i}(x){{return f{(i + 1) % 9}(x)+f{(i + 7) % 9}(x)}}" for i in range(9)) + "WMS(f0('wms'));"
    ),
    "a name that is its own value": lambda: "var a=b,b=a;WMSLayer(a+b);var wms={url:wms.url};",
    "a regular expression that backtracks": lambda: "WMSLayer('" + "a" * 3000 + "'.replace(/(a+)+b/,'wms'));",
    "many call sites": lambda: (
        "function f(a,b,c){WMSLayer(a+b+c)}" + "".join(f"f(x{i},'wms',y{i});" for i in range(5000))
    ),
    "many arrays in arrays": lambda: (
        "var a=['wms'];" + "".join(f"var a{i}=[a,a,a].map(x=>x);" for i in range(500)) + "WMSLayer(a499);"
    ),
    "a deep sum": lambda: "WMSLayer(" + "-" * 100_000 + "wms);",
    "statements without values": lambda: "function f(){return;} var g=()=>{}; WMSLayer(f(), g(), [], {}, ...[]);",
    "many assignments": lambda: "var u='';" + "u+='wms';" * 20_000 + "WMSLayer(u);",
    "a property built from itself": lambda: (
        "function C(){" + "this.u=this.u+'wms';" * 20_000 + "WMSLayer(this.u)}" + "class D{m(){WMSLayer(this.v)}"
        + "".join(f"n{i}(){{this.v=this.v+'a';this.v=this.v+this.v}}" for i in range(200)) + "}"
    ),
    "many keys": lambda: "var o={" + ",".join(f"url{i}:'wms'" for i in range(50_000)) + "};",
    "nonsense": lambda: "wms " + "} ) ] => , ` ' \" /* // \\ " * 20_000,
    "JSON nested deep": lambda: "[" * 100_000 + '"wms"' + "]" * 100_000,
    # Few steps by their looks, and each of them long.
    "strings side by side": lambda: "WMSLayer('wms');" + "''" * 100_000,
    "prose": lambda: "The quick brown fox wms jumps, over the lazy dog; isn't it? " * 60_000,
    "calls nested deep": lambda: "(x=>{" * 300 + "WMSLayer(a+'/wms'+b);" * 3000 + "})" * 300,
    "long functions": lambda: (
        "function f(){" + "a(1);" * 100_000 + "return 'wms/'+b}" + "WMSLayer(f()+c);" * 2000
    ),
    "modules by their position": lambda: (
        "!function(m){}([" + "".join(f"function(t,e,n){{WMSLayer(n({i + 7}).u+'/wms')}}," for i in range(8000)) + "0]);"
    ),
    "short names declared again": lambda: (
        "".join(f"var {chr(97 + i % 26)}{i % 10}={chr(97 + i * 7 % 26)}{i % 10}+'/wms';" for i in range(60_000))
        + "WMSLayer(a1);"
    ),
    "a chain of names": lambda: (
        "".join(f"var nm{i}=nm{i + 1}+'x';" for i in range(100_000))
        + "".join(f"WMSLayer(nm{i}+'/wms');" for i in range(4000))
    ),
    "members of members": lambda: (
        "var o={};" + "".join(f"o.p{i}=o.p{i + 1};" for i in range(60_000))
        + "".join(f"WMSLayer(o.p{i}+'/wms');" for i in range(4000))
    ),
    "classes of classes": lambda: (
        "".join(f"class C{i} extends C{i + 1}{{m(){{this.url='wms'+this.u}}}}" for i in range(5000))
        + "".join(f"WMSLayer(new C{i}().url);" for i in range(3000))
    ),
    "many rows": lambda: "<a>" + "".join(f'<l url="https://h{i}.test/wms?service=WMS"/>' for i in range(90_000)) + "</a>",
}  # fmt: skip


# Traps beside which the analysis still reads what is honest.
OUTLIVED = frozenset(
    (
        "doubling strings", "doubling branches", "many call sites", "a function that calls itself",
        "strings side by side", "long functions", "short names declared again", "classes of classes",
    )
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_left_in_a_bounded_time_and_what_stands_beside_it_is_found(
    name: str,
) -> None:
    text = HONEST + TRAPS[name]() if name in OUTLIVED else TRAPS[name]()
    begin = time.process_time()
    findings = analyse(PAGE, [Script("https://p.test/trap.js", text)], BUDGET)
    assert time.process_time() - begin < 8.0
    assert findings.steps < 1.25 * BUDGET.steps
    assert name not in OUTLIVED or "https://h.test/wms" in {
        e.endpoint for e in findings.endpoints
    }


@pytest.mark.slow
def test_fifty_megabytes_in_one_line_are_read_in_part() -> None:
    text = HONEST + "var a='wms" + "x" * 50_000_000 + "';"
    tracemalloc.start()
    begin = time.process_time()
    findings = analyse(PAGE, [Script("https://p.test/long.js", text)], BUDGET)
    spent, (_, peak) = time.process_time() - begin, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert {e.endpoint for e in findings.endpoints} == {"https://h.test/wms"}
    assert spent < 8.0
    assert peak < 300_000_000


def test_no_expression_has_more_alternatives_than_allowed() -> None:
    text = _branches(30) + "var b0='https://h.test/';WMSLayer(b30);"
    assert (
        len(
            analyse(
                PAGE, [Script("https://p.test/a.js", text)], AnalysisBudget(values=8)
            ).endpoints
        )
        <= 8
    )


def test_a_spent_budget_is_told() -> None:
    assert analyse(
        PAGE, [Script("https://p.test/a.js", HONEST)], AnalysisBudget(steps=1)
    ).unknown


@given(st.text(max_size=400))
def test_no_text_whatever_breaks_the_analysis(text: str) -> None:
    analyse(PAGE, [Script("https://p.test/a.js", "wms('/wms' + " + text)])


@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "`",
                "${",
                "'",
                '"',
                "/",
                "*",
                "//",
                "\\",
                "\n",
                "wms(",
                "url:",
                ")",
                "=>",
            ]
        ),
        max_size=60,
    )
)
def test_no_mix_of_marks_breaks_the_analysis(parts: list[str]) -> None:
    analyse(PAGE, [Script("https://p.test/a.js", "wms" + " ".join(parts))])


def test_cutting_keeps_every_block_that_speaks_of_an_address() -> None:
    noise = "function n(){" + "a=a+1;" * 100 + "}"
    text = (
        noise * 200
        + 'function k(){var u="https://h.test/wms";'
        + "b=b+1;" * 50
        + "}"
        + noise * 200
    )
    cleaned = clean(text.encode())
    assert b"https://h.test/wms" in cleaned.data
    assert len(cleaned.data) < len(text) / 10
    at = cleaned.data.index(b"https://h.test")
    assert cleaned.origin(at) == text.index("https://h.test")


def test_braces_in_strings_templates_and_patterns_are_no_blocks() -> None:
    text = (
        "var a='{',b=`{${`}`}`,c=/[{]/.test('x');/* { */ // {\n"
        + "function f(){"
        + "a=1;" * 20_000
        + "}"
        + HONEST
    )
    assert b"https://h.test/wms" in clean(text.encode()).data


def test_json_with_a_string_that_never_ends_is_left_at_once() -> None:
    """A string that begins at each of its quotes would be read to the end 200,000 times."""
    began = time.thread_time()
    assert config.parse("[" + '"\\' * 200_000) is None
    assert time.thread_time() - began < 2


def test_comments_of_json_are_none_within_strings() -> None:
    text = '{"a": "http://h//x /* y */, }", /* z */ "b": [1, 2,], // end\n}'
    assert config.parse(text) == {"a": "http://h//x /* y */, }", "b": [1, 2]}


MANY_TOKENS = {
    "assignments": ("", "a=b;", ""),
    "commas": ("x=[", "a,", "a];"),
    "numbers": ("x=[", "1,", "1];"),
    "objects": ("x=[", "{},", "0];"),
    "calls": ("", "f();", ""),
    "lines": ("", "a\n", ""),
    "a sum": ("x=", "a+", "a;"),
    "nothing": ("", ";", ""),
}


@pytest.mark.parametrize("name", MANY_TOKENS)
def test_a_script_of_nothing_but_tokens_takes_no_more_memory_than_code(
    name: str,
) -> None:
    begin, token, end = MANY_TOKENS[name]
    script = begin + token * (5_000_000 // len(token)) + end + HONEST
    found, size = _in_own_process(script)
    assert found == 1
    assert size < 200


@pytest.mark.parametrize("name", MANY_TOKENS)
def test_addresses_among_the_tokens_do_not_make_it_dearer(name: str) -> None:
    begin, token, _ = MANY_TOKENS[name]
    piece = token * (2_000 // len(token))
    said = '"/wms",' if "[" in begin else '"/wms"+' if begin else '"/wms";'
    script = begin + (piece + said) * (5_000_000 // len(piece + said))
    _, size = _in_own_process(script)
    assert size < 450


def _in_own_process(script: str) -> tuple[int, int]:
    """How many services are found, and how many megabytes that takes: the parser's memory is none of Python's."""
    code = (
        "import resource, sys\n"
        "from books import analyse\n"
        "from geohound.jsflow import Script\n"
        "def taken(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "text = sys.stdin.read()\n"
        f"analyse({PAGE!r}, [Script({PAGE!r} + 'a.js', 'var a = 1;')])\n"
        "before = taken()\n"
        f"found = analyse({PAGE!r}, [Script({PAGE!r} + 'b.js', text)])\n"
        "print(len(found.endpoints), (taken() - before) // 1024)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=script, capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    found, size = run.stdout.split()
    return int(found), int(size)


def test_dense_code_as_long_as_a_script_may_be_is_read_whole() -> None:
    library = Path("frontend/node_modules/ol/dist/ol.js")
    if not library.exists():
        pytest.fail("the packages of the portal are missing: run make frontend")
    code = library.read_bytes()
    whole, left_out, taken = parsing.fitting(code * 5, 6_000_000)
    assert (len(whole), left_out) == (5 * len(code), 0)
    assert taken < 6_000_000
