-- The services that a task met, also those that an earlier one had met in the same place.
CREATE TABLE met (task INTEGER NOT NULL, service INTEGER NOT NULL, PRIMARY KEY (task, service)) WITHOUT ROWID;
INSERT INTO met SELECT DISTINCT task, service FROM sighting;
