-- Few of them, looked for every second.
CREATE INDEX IF NOT EXISTS host_claim_wanted ON host_claim (holder) WHERE is_wanted;
