-- What is wanted of a task, and who runs it. Epochs grow with each claim: who has an older one writes nothing.
CREATE TABLE claim (
  task INTEGER PRIMARY KEY REFERENCES task (id),
  wanted TEXT NOT NULL DEFAULT 'run',
  holder TEXT NOT NULL DEFAULT '',      -- empty where nobody runs it
  epoch INTEGER NOT NULL DEFAULT 0,
  expires_at REAL NOT NULL DEFAULT 0
);
INSERT INTO claim (task) SELECT id FROM task;
