import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { fillDisk } from '#tests/support/test-app.server.ts'
import type { AcceptOptions, IncomingEvent } from '../../store/events.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

const OPTIONS: AcceptOptions = {
  choose: chooseEndpoints,
  limit: { deliveries: 100, bytes: 100_000 },
  retryFor: hours(72),
  stoppedReason: 'Stopped.',
}
const accept = (events: IncomingEvent[], options: Partial<AcceptOptions> = {}) =>
  world.store.events.acceptEvents(events, { ...OPTIONS, ...options })
const outcomes = async (events: IncomingEvent[], options: Partial<AcceptOptions> = {}) =>
  (await accept(events, options)).map(({ outcome }) => outcome)
describe('a batch of events', () => {
  it('is answered in the order asked, with seqs that grow', async () => {
    world.endpoint()
    const first = anEvent(world)
    const answers = await accept([first, anEvent(world), first, anEvent(world, { object: 'company' })])
    expect(answers).toEqual([
      { outcome: 'stored', seq: 1, deliveries: [{ id: 1, endpointId: 1 }] },
      { outcome: 'stored', seq: 2, deliveries: [{ id: 2, endpointId: 1 }] },
      { outcome: 'duplicate', seq: 1 },
      { outcome: 'stored', seq: expect.any(Number), deliveries: [] },
    ])
  })

  it('keeps the good ones when one cannot be written', async () => {
    world.endpoint()
    const bad = anEvent(world, { source: 'nonsense' as IncomingEvent['source'] })
    const unbindable = anEvent(world, { body: { not: 'text' } as unknown as string })
    const answers = await accept([anEvent(world), bad, anEvent(world), unbindable, anEvent(world)])
    expect(answers.map(({ outcome }) => outcome)).toEqual(['stored', 'rejected', 'stored', 'rejected', 'stored'])
    expect(answers[1]).toMatchObject({ message: expect.stringMatching(/check/i) })
    expect(
      world.row(
        'SELECT (SELECT count(*) FROM event) AS e, (SELECT count(*) FROM event_body) AS b, (SELECT count(*) FROM delivery) AS d',
      ),
    ).toEqual({ e: 3, b: 3, d: 3 })
    expect(world.row('SELECT pending_count FROM account_load')).toEqual({ pending_count: 3 })
    expect(world.row("SELECT count FROM usage_day WHERE kind = 'webhook_received'")).toEqual({ count: 3 })
  })

  it('is refused as a whole when the database cannot be written, and nothing of it stays', async () => {
    world.endpoint()
    const { code, empty } = fillDisk(world.client)
    const large = anEvent(world, { body: 'x'.repeat(90_000) })
    await expect(accept([anEvent(world), large])).rejects.toMatchObject({ code })
    empty()
    expect(world.row('SELECT count(*) AS n FROM event')).toEqual({ n: 0 })
    expect(await outcomes([anEvent(world)])).toEqual(['stored'])
  })

  it('of two accounts keeps them apart, even with the same dedupe key', async () => {
    world.endpoint()
    world.endpoint({ account: BRISBANE })
    const event = anEvent(world)
    expect(await outcomes([event, { ...event, accountUuid: BRISBANE }])).toEqual(['stored', 'stored'])
    expect(world.rows('SELECT account_uuid, endpoint_id FROM delivery ORDER BY id')).toEqual([
      { account_uuid: LEEDS, endpoint_id: 1 },
      { account_uuid: BRISBANE, endpoint_id: 2 },
    ])
  })
})

describe('an account over its limit', () => {
  it('is refused what would wait, but not what it has sent before or what goes nowhere', async () => {
    world.endpoint()
    world.endpoint({ url: 'https://second.example.com/' })
    const limit = { deliveries: 5, bytes: 100_000 }
    const events = [anEvent(world), anEvent(world), anEvent(world)]
    expect(await outcomes(events, { limit })).toEqual(['stored', 'stored', 'over_limit'])
    expect(await outcomes([...events, anEvent(world, { object: 'company' })], { limit })).toEqual([
      'duplicate',
      'duplicate',
      'over_limit',
      'stored',
    ])
  })

  it('is measured in bytes as well', async () => {
    world.endpoint()
    const body = 'x'.repeat(60)
    expect(
      await outcomes([anEvent(world, { body }), anEvent(world, { body })], { limit: { deliveries: 99, bytes: 100 } }),
    ).toEqual(['stored', 'over_limit'])
  })

  it('does not hold up another one', async () => {
    world.endpoint()
    world.endpoint({ account: BRISBANE })
    const limit = { deliveries: 1, bytes: 1_000 }
    expect(
      await outcomes([anEvent(world), anEvent(world), anEvent(world, { accountUuid: BRISBANE })], { limit }),
    ).toEqual(['stored', 'over_limit', 'stored'])
  })
})

it('an event for a stopped endpoint is kept as stopped, with its reason in the log', async () => {
  world.endpoint({ state: 'stopped' })
  const [answer] = await accept([anEvent(world)])
  expect(answer).toMatchObject({ outcome: 'stored', deliveries: [] })
  expect(world.row('SELECT state, state_reason, attempts FROM delivery')).toEqual({
    state: 'stopped',
    state_reason: 'Stopped.',
    attempts: 0,
  })
  expect(world.row('SELECT outcome, sentence, url FROM attempt')).toEqual({
    outcome: 'stopped',
    sentence: 'Stopped.',
    url: ADDRESS,
  })
})
