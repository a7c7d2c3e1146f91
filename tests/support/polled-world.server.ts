// Job contacts at the platform, polled through the webhook world: shared by tests of polled objects.
import { POLL_EVERY } from '#app/domain/polling.ts'
import { pollObjects } from '#app/features/events/poll-objects.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { LEEDS, type WebhookWorld } from './webhook-world.server.ts'

export interface StoredEvent {
  account: string
  uuid: string
  fields: string[]
  body: unknown
}

type Counted = 'delivery' | 'record_snapshot' | 'poll_cursor' | 'subscription' | 'webhook'

/** Starts with one contact, `old`, from three days before. */
export function polledWorld(world: WebhookWorld) {
  /** The platform's local time in Leeds (in winter: UTC). */
  const now = () => new Date(world.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
  const contact = (uuid: string, values: Record<string, unknown> = {}) => {
    const own = { first: uuid, last: '', phone: '', mobile: '', email: '', type: 'JOB', ...values }
    return { uuid, active: 1, job_uuid: 'job-1', edit_date: now(), ...own }
  }
  const put = (record: ReturnType<typeof contact>) => world.platform.put(LEEDS, 'jobcontact', record)
  put(contact('old', { edit_date: '2026-01-02 10:00:00' }))

  return {
    now,
    contact,
    /** Changes a contact now. */
    edit(uuid: string, values: Record<string, unknown>): void {
      const before = world.platform.records(LEEDS, 'jobcontact').get(uuid)
      world.platform.put(LEEDS, 'jobcontact', { ...before, ...values, uuid, edit_date: now() })
    },
    add(...uuids: string[]): void {
      for (const uuid of uuids) put(contact(uuid))
    },
    /** Polls everything that is due. */
    poll: () => pollObjects(world.app),
    /** Advances the time (by default until the next poll is due), then polls everything that is due. */
    async look(ms = POLL_EVERY + minutes(1)): Promise<void> {
      world.clock.advance(ms)
      await pollObjects(world.app)
    },
    /** Oldest first. */
    events(): StoredEvent[] {
      const rows = world.client.sql
        .prepare<[], { account: string; uuid: string; fields: string; body: string }>(
          `SELECT account_uuid AS account, object_uuid AS uuid, changed_fields AS fields, body
           FROM event JOIN event_body USING (seq) WHERE object = 'jobcontact' ORDER BY seq`,
        )
        .all()
      return rows.map((row) => ({
        ...row,
        fields: JSON.parse(row.fields) as string[],
        body: JSON.parse(row.body) as unknown,
      }))
    },
    count: (table: Counted) => world.client.sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
    cursor: (account = LEEDS) => world.app.store.records.findPollCursor(account, 'webhook:jobcontact'),
  }
}

export type PolledWorld = ReturnType<typeof polledWorld>
