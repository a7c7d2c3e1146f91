-- Rules that do not wait for more changes of the same record.
ALTER TABLE automation ADD COLUMN at_once bigint NOT NULL DEFAULT 0 CHECK (at_once IN (0, 1));
