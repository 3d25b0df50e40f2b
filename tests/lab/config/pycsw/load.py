"""Makes the database of the catalogue and loads its records, in one process."""

from pycsw.core import admin, config

DATABASE = "sqlite:///${home}/records.db"
admin.setup_db(DATABASE, "records", "${home}")
admin.load_records(config.StaticContext(), DATABASE, "records", "${home}/records")
