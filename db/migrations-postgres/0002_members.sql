-- Several instances: who they are, whose accounts each one works for, and what they tell each other.

-- The share of an account, 0 to 63. Must equal `shareOf` (db/postgres/share-of.server.ts).
CREATE FUNCTION share_of(account text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN get_byte(decode(md5(account), 'hex'), 0) & 63;

-- One row for each running instance. It is alive as long as `beats` grows.
CREATE TABLE member (
  id text COLLATE "C" PRIMARY KEY,
  -- The machine, the process on it, and its start: another process on that machine can see that it has ended.
  process text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  beats bigint NOT NULL DEFAULT 0,
  -- 0 = it starts, ends or is held: it counts for nobody's fair part.
  takes bigint NOT NULL DEFAULT 0 CHECK (takes IN (0, 1)),
  started_at bigint NOT NULL
);

-- Exactly one instance sends, runs and triggers for the accounts of a share. Nobody takes one from a living owner.
CREATE TABLE share (
  part integer PRIMARY KEY CHECK (part BETWEEN 0 AND 63),
  owner text COLLATE "C" REFERENCES member (id) ON DELETE SET NULL,
  -- 1 = its owner has taken it and not yet looked through what was left in it.
  fresh bigint NOT NULL DEFAULT 1 CHECK (fresh IN (0, 1))
) WITH (fillfactor = 70);
INSERT INTO share (part) SELECT * FROM generate_series(0, 63);

-- What another instance did to an endpoint, for its owner. Only ever added to, so nobody waits for anybody.
CREATE TABLE news (
  part integer NOT NULL,
  endpoint_id bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX news_of_a_share ON news (part);

-- Work that only one instance may do at a time. Ends with its member.
CREATE TABLE turn (
  name text COLLATE "C" PRIMARY KEY,
  member text COLLATE "C" NOT NULL REFERENCES member (id) ON DELETE CASCADE
);
