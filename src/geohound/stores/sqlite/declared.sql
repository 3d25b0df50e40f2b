-- The host of a service, and the address that its own document gives where that can identify it: by these the same
-- service is recognised behind several names.
ALTER TABLE service ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE service ADD COLUMN declared TEXT NOT NULL DEFAULT '';
CREATE INDEX service_by_declared ON service (declared) WHERE declared <> '';
