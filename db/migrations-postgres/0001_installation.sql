-- Facts about the whole installation, one row each: the platform it belongs to.
CREATE TABLE installation (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);
