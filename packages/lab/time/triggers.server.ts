// Lets the database itself log every change of a delivery, whoever makes it, in the transaction that makes it.
import type { Client } from '#db/sqlite/client.server.ts'
import type { Logged } from './logged.ts'

const FIELDS = {
  id: 'id',
  eventSeq: 'event_seq',
  endpointId: 'endpoint_id',
  account: 'account_uuid',
  record: 'object_uuid',
  cause: 'cause',
  causeNo: 'cause_no',
  state: 'state',
  reason: 'state_reason',
  dueAt: 'due_at',
  deadlineAt: 'deadline_at',
  attempts: 'attempts',
  steps: 'steps',
  createdAt: 'created_at',
  settledAt: 'settled_at',
}

const row = (name: 'OLD' | 'NEW') =>
  `json_object(${Object.entries(FIELDS)
    .map(([field, column]) => `'${field}', ${name}.${column}`)
    .join(', ')})`

const write = (json: string) => `BEGIN INSERT INTO proof_log (entry) VALUES (${json}); END`

const TRIGGERS = `
CREATE TABLE proof_log (id INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT;
CREATE TRIGGER proof_event AFTER INSERT ON event ${write(`json_object('kind', 'event', 'seq', NEW.seq,
  'account', NEW.account_uuid, 'object', NEW.object, 'record', NEW.object_uuid, 'dedupe', NEW.dedupe,
  'receivedAt', NEW.received_at)`)};
CREATE TRIGGER proof_delivery AFTER INSERT ON delivery ${write(`json_object('kind', 'delivery', 'row', ${row('NEW')})`)};
CREATE TRIGGER proof_change AFTER UPDATE ON delivery
  ${write(`json_object('kind', 'change', 'before', ${row('OLD')}, 'row', ${row('NEW')})`)};
CREATE TRIGGER proof_deleted AFTER DELETE ON delivery ${write("json_object('kind', 'deleted', 'id', OLD.id)")};
CREATE TRIGGER proof_attempt AFTER INSERT ON attempt ${write(`json_object('kind', 'attempt', 'deliveryId', NEW.delivery_id,
  'seq', (SELECT event_seq FROM delivery WHERE id = NEW.delivery_id),
  'outcome', NEW.outcome, 'status', NEW.status_code, 'sentence', NEW.sentence)`)};
`

export function addTriggers({ sql }: Client): void {
  sql.exec(TRIGGERS)
}

/** Continues where the last reader stopped. Writes nothing: after a write the engine would look for another process. */
export function logReader(): (client: Client) => Logged[] {
  let last = 0
  const prepared = new WeakMap<Client, (after: number) => { id: number; entry: string }[]>()
  function reader(client: Client) {
    const known = prepared.get(client)
    if (known) return known
    const select = client.sql.prepare<[number], { id: number; entry: string }>(
      'SELECT id, entry FROM proof_log WHERE id > ? ORDER BY id',
    )
    const read = (after: number) => select.all(after)
    prepared.set(client, read)
    return read
  }
  return (client) => {
    const rows = reader(client)(last)
    last = rows.at(-1)?.id ?? last
    return rows.map(({ entry }) => JSON.parse(entry) as Logged)
  }
}
