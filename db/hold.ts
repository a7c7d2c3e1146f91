// The mark on a database that a person has not looked at yet, a restored or a moved one: nothing is sent from it.

export interface HoldMark {
  isSet(): Promise<boolean>
  /** Lets the database go. */
  clear(): Promise<void>
  /** What would be sent, once it is let go. */
  waiting(): Promise<Waiting>
}

export interface Waiting {
  deliveries: number
  runs: number
}

const ofHeldAccount = (alias: string) =>
  `EXISTS (SELECT 1 FROM plan own WHERE own.account_uuid = ${alias}.account_uuid AND own.held_since IS NOT NULL)`

/** Without what waits for its owner, too: it stays after the release. A resend goes to a paused address as well. */
export const WAITING_FOR_RELEASE = `SELECT
  (SELECT count(*) FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id WHERE d.state = 'pending' AND p.url <> ''
     AND (p.state = 'active' OR d.cause NOT IN ('live', 'replay')) AND NOT ${ofHeldAccount('d')}) AS deliveries,
  (SELECT count(*) FROM run r WHERE r.state IN ('queued', 'running', 'waiting') AND NOT ${ofHeldAccount('r')}) AS runs`
