// Whether an instance that the others have removed writes as an owner: the database itself keeps the moments of both.
import type { Cluster } from './stage.ts'

/**
 * To be run on a fresh database. A settled attempt is noted as late in its transaction as possible, a removal when it has got
 * past everything that it waits for. Both moments are of the database's clock.
 */
export const WATCH_SQL = `
  CREATE UNLOGGED TABLE lab_write (member text NOT NULL, at timestamptz NOT NULL);
  CREATE UNLOGGED TABLE lab_removed (member text NOT NULL, at timestamptz NOT NULL);
  CREATE FUNCTION lab_wrote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO lab_write VALUES (current_setting('fieldhook.member'), clock_timestamp()); RETURN NULL; END $$;
  CREATE FUNCTION lab_removes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO lab_removed VALUES (OLD.id, clock_timestamp()); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER lab_wrote AFTER INSERT ON attempt DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION lab_wrote();
  CREATE TRIGGER lab_removes AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION lab_removes();`

export interface Fence {
  removed: number
  writes: number
  /** Attempts that an instance settled after its removal. */
  strays: number
}

export async function fenceOf({ ask }: Cluster): Promise<Fence> {
  const [seen] = await ask<Fence>(
    `SELECT (SELECT count(*) FROM lab_removed)::int AS removed, (SELECT count(*) FROM lab_write)::int AS writes,
      (SELECT count(*) FROM lab_write w JOIN lab_removed r USING (member) WHERE w.at > r.at)::int AS strays`,
  )
  if (!seen) throw new Error('the database keeps no moments')
  return seen
}
