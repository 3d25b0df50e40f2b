-- What happened to services; checks of long ago by week; the last look at each layer.
CREATE TABLE life_event (
  num INTEGER PRIMARY KEY,
  service INTEGER NOT NULL REFERENCES service (num),
  at REAL NOT NULL,
  change TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX life_event_by_service ON life_event (service, at);
CREATE INDEX life_event_by_time ON life_event (at);

CREATE TABLE check_total (
  service INTEGER NOT NULL REFERENCES service (num),
  week INTEGER NOT NULL,
  good INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  unclear INTEGER NOT NULL,
  elapsed_s REAL NOT NULL,
  PRIMARY KEY (service, week)
) WITHOUT ROWID;

CREATE TABLE layer_check (
  service INTEGER NOT NULL REFERENCES service (num),
  layer TEXT NOT NULL,
  at REAL NOT NULL,
  ok INTEGER,
  reason TEXT NOT NULL,
  elapsed_s REAL NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (service, layer)
) WITHOUT ROWID;
