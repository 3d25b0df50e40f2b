"""Makes the database of the catalogue and loads its records, in one process."""

from pathlib import Path

from pycsw.core import admin, config

DATABASE = "sqlite:///${home}/records.db"
RECORDS = Path("${home}/records")
# More than a page, so that whoever reads all has to turn pages.
CHART = """<csw:Record xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>urn:baltic:chart:{0}</dc:identifier>
  <dc:title>Chart {0}</dc:title><dc:type>service</dc:type>
  <dct:references scheme="OGC:WFS">${mapserver_url}/charts/{0}/wfs</dct:references>
  <dct:modified>2025-07-{0:02d}</dct:modified></csw:Record>"""
for number in range(1, 26):
    (RECORDS / f"chart-{number}.xml").write_text(CHART.format(number), "utf-8")
admin.setup_db(DATABASE, "records", "${home}")
admin.load_records(config.StaticContext(), DATABASE, "records", str(RECORDS))
