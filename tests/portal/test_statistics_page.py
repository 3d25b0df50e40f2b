"""Figures of the catalogue on one page, each with chart, table and files; the same by the API."""

from __future__ import annotations

from starlette.testclient import TestClient


def test_each_figure_has_its_chart_its_table_and_its_files(client: TestClient) -> None:
    page = client.get("/statistics").text
    for name in ("countries", "clumping", "software"):
        assert f'<img src="/api/v1/reports/{name}?radius=150&amp;f=svg"' in page or name == "countries"
        assert f'href="/api/v1/reports/{name}?radius=150&amp;f=csv"' in page
    assert "<script>alert" not in page


def test_the_radius_is_settable_and_nonsense_is_refused(client: TestClient) -> None:
    assert 'value="75"' in client.get("/statistics?radius=75").text or "density" not in client.get("/statistics").text
    assert client.get("/statistics?radius=nonsense").status_code == 400
    assert client.get("/statistics?radius=0").status_code == 400
    assert client.get("/statistics?task=").status_code == 200
    assert client.get("/statistics?task=99").status_code == 200, "without tasks there is none to choose"


def test_a_report_is_had_as_csv_svg_and_png(client: TestClient) -> None:
    types = {"csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png", "json": "application/json"}
    for form, media in types.items():
        answer = client.get(f"/api/v1/reports/kinds?f={form}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, media)
    assert client.get("/api/v1/reports/kinds?f=svg").text.startswith("<svg ")
    assert client.get("/api/v1/reports/kinds?f=pdf").status_code == 400
    assert client.get("/api/v1/reports/totals?f=svg").status_code == 404


def test_the_health_page_names_what_fails_and_why(client: TestClient, samples) -> None:
    """The register of the city answered once, then three times 404."""
    page = client.get("/health").text
    assert "City registers" in page
    assert "not found: HTTP 404" in page
    assert f'href="/services/{samples.many.id}"' in page
    assert samples.rivers.id not in page.partition("Lately failing")[2].partition("Lately changed")[0]
    assert "<script>alert" not in page
