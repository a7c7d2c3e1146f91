import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createEndpoint } from '#app/features/endpoints/endpoints.server.ts'
import { watchEndpoints } from '#app/features/endpoints/notices/watch-endpoints.server.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { MAIL_REASON_TEXTS, mailReasonText } from '#app/features/notices/notice-reasons.ts'
import { forgetNotices, sendDueMails } from '#app/features/notices/send-mails.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { HANGS, LEEDS, openWebhookWorld, seenWell, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

let world: WebhookWorld
let clock: WebhookWorld['clock']

beforeEach(async () => {
  world = await openWebhookWorld()
  clock = world.clock
  const form = { callback_url: 'https://example.com/in', object: 'job', fields: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'webhook', form, { admin: false })
  await connect('vendor read_jobs publish_email')
  world.platform.asked.length = 0
})

afterEach(() => world.close())

const connect = (scope: string) =>
  world.app.store.accounts.saveCredential(LEEDS, {
    accessTokenSealed: 'a',
    refreshTokenSealed: 'r',
    expiresAt: world.clock.now() + days(99),
    scope,
  })

const KILLED = new Error('killed')
const mails = () => world.platform.messages.map(({ sent }) => sent)

const set = (columns: string, ...values: unknown[]) =>
  world.client.sql.prepare(`UPDATE endpoint SET ${columns} WHERE id = 1`).run(...values)

/** As the engine leaves it: failing for sixteen minutes with three events, the last answered 404. */
function letFail(): void {
  set(
    `failing_since = ?, failure_events = '[1,2,3]', last_code = 404, pending_count = 3,
     last_sentence = 'Your address answered 404. Is the scenario switched on?'`,
    world.clock.now() - minutes(16),
  )
}

function letRecover(): void {
  world.clock.advance(minutes(5))
  set(
    `failing_since = NULL, failure_events = '[]', state = 'active', state_since = @now, last_code = 200, pending_count = 0,
     last_sentence = 'Delivered: your address answered 200.', last_success_at = @now`,
    { now: world.clock.now() },
  )
  world.clock.advance(seconds(20))
}

/** As the job of each minute. */
async function round(): Promise<void> {
  await watchEndpoints(world.app)
  await sendDueMails(world.app)
  await forgetNotices(world.app)
}
/** With what a person reads about the e-mail. */
const notices = async () =>
  (await world.app.store.notices.listNotices(LEEDS, 99, world.clock.now())).map((one) => ({
    ...one,
    mailSentence: one.mailReason && mailReasonText(one.mailReason),
  }))
const newest = async () => (await notices())[0]
/** What was stored of every notice, also of those that newer ones replaced. */
const stored = () =>
  world.client.sql
    .prepare('SELECT kind, mail_state AS state, mail_reason_code AS code FROM notice ORDER BY id DESC')
    .all()

describe('a round', () => {
  test('does nothing while everything works', async () => {
    await round()
    expect(await notices()).toEqual([])
    expect([world.probed, world.platform.asked]).toEqual([[], []])
  })

  test('tells once that an address fails, looks into it, and says in the e-mail what to do', async () => {
    letFail()
    await Promise.all([round(), round()])
    await round()
    expect(await notices()).toMatchObject([
      { kind: 'failing', since: world.clock.now() - minutes(16), mailState: 'sent' },
    ])
    expect(world.probed).toContain('https://example.com/in')
    const [check] = await world.app.store.notices.listEndpointChecks(LEEDS)
    expect(check?.steps.find((step) => step.name === 'latest')).toMatchObject({ verdict: 'fail' })
    expect(mails()).toEqual([
      {
        to: 'office@leeds.example',
        subject: 'Your Job webhook is failing',
        textBody: expect.stringMatching(
          /failing since 08:44\.\n\n.*answered 404.*\n\n3 events are waiting\.\n\nCheck the address\. If a scenario is behind it, switch it on\.\n\nOpen it: https:\/\/hooks\.example\.com\/fieldhook\?accountUUID=.*#webhook-1\n/,
        ),
      },
    ])
  })

  test('tells that it was stopped, and that it works again', async () => {
    set(`state = 'stopped', state_reason = 'Your address answered 410.', state_since = ?`, clock.now())
    await round()
    letRecover()
    await round()
    await round()
    expect(stored()).toMatchObject([
      { kind: 'recovered', state: 'sent' },
      { kind: 'stopped', state: 'sent' },
    ])
    expect(mails().map((mail) => mail.subject)).toEqual([
      'Your Job webhook was stopped',
      'Your Job webhook works again',
    ])
    expect(mails()[1]?.textBody).toContain('It had not worked since 09:00.')
    // The card must not go on showing what was found while it was broken.
    const [check] = await world.app.store.notices.listEndpointChecks(LEEDS)
    expect(check?.steps.find((step) => step.name === 'latest')).toMatchObject({ verdict: 'ok' })
  })

  test('looks at the address once per change, also when it could not the first time', async () => {
    letFail()
    const { probe } = world.app.outbound
    world.app.outbound.probe = () => Promise.reject(new Error('no luck'))
    await round()
    expect(await newest()).toMatchObject({ kind: 'failing' })
    world.app.outbound.probe = probe
    await round()
    await round()
    expect(world.probed).toEqual(['https://example.com/in'])
  })

  test('ends between its steps when the process wants to end', async () => {
    letFail()
    await watchEndpoints(world.app, AbortSignal.abort())
    expect(await notices()).toEqual([])
  })

  test('forgets what is old and over', async () => {
    letFail()
    await round()
    letRecover()
    await round()
    clock.advance(days(91))
    await round()
    expect(await notices()).toMatchObject([{ kind: 'recovered' }])
  })
})

describe('an e-mail', () => {
  test('goes to the chosen address, and asks the platform for none', async () => {
    await world.app.store.notices.saveMailChoice(
      LEEDS,
      { byMail: true, email: 'me@example.com' },
      DEFAULT_MAIL_CHOICE,
      clock.now(),
    )
    letFail()
    await round()
    expect(world.platform.asked).toEqual(['email me@example.com'])
    expect(await newest()).toMatchObject({ mailState: 'sent', mailSentence: 'E-mail sent to me@example.com.' })
  })

  test('is not sent when it is switched off, also after it was planned', async () => {
    await world.app.store.notices.saveMailChoice(
      LEEDS,
      { byMail: false, email: null },
      DEFAULT_MAIL_CHOICE,
      clock.now(),
    )
    letFail()
    await round()
    expect(await newest()).toMatchObject({ mailState: 'none', mailSentence: 'No e-mail: they are switched off.' })
    expect(world.platform.asked).toEqual([])
  })

  test('is not tried without the permission, and the notice says why', async () => {
    await connect('vendor read_jobs')
    letFail()
    await round()
    expect(await newest()).toMatchObject({
      mailState: 'none',
      mailSentence: expect.stringContaining('Sign in again and allow it.'),
    })
    expect(world.platform.asked).toEqual([])
  })

  test('needs an address', async () => {
    world.platform.put(LEEDS, 'vendor', { uuid: LEEDS, timezone_name: 'Europe/London' })
    letFail()
    await round()
    expect(await newest()).toMatchObject({
      mailState: 'none',
      mailSentence: expect.stringContaining('Enter one under “Notices by e-mail”'),
    })
  })

  test('is tried again while the platform is down, each time later, and sent once', async () => {
    const down = { outcome: 'unavailable', status: 503, message: 'Down', undone: true } as const
    world.platform.failures.vendor.push(down)
    world.platform.failures.email.push(down, { outcome: 'rate_limited', status: 429, message: 'Throttled', retryAt: 0 })
    letFail()
    for (let minute = 0; minute < 90; minute += 1) {
      await round()
      clock.advance(minutes(1))
    }
    expect(world.platform.asked).toEqual([
      'vendor',
      'vendor',
      'email office@leeds.example',
      'vendor',
      'email office@leeds.example',
      'vendor',
      'email office@leeds.example',
    ])
    expect(mails()).toHaveLength(1)
    expect(await newest()).toMatchObject({ mailState: 'sent' })
  })

  test('is given up after a while', async () => {
    world.platform.failures.email.push(
      ...Array.from(
        { length: 20 },
        () => ({ outcome: 'unavailable', status: 503, message: 'Down', undone: true }) as const,
      ),
    )
    letFail()
    for (let hour = 0; hour < 30; hour += 1) {
      await round()
      clock.advance(hours(1))
    }
    expect(world.platform.asked.filter((one) => one.startsWith('email'))).toHaveLength(6)
    expect(await newest()).toMatchObject({ mailState: 'failed', mailSentence: 'No e-mail: Down.' })
  })

  test('whose end is unclear is not repeated', async () => {
    world.platform.failures.email.push(HANGS)
    letFail()
    for (let hour = 0; hour < 5; hour += 1) {
      await round()
      clock.advance(hours(1))
    }
    expect(world.platform.asked.filter((one) => one.startsWith('email'))).toHaveLength(1)
    expect(await newest()).toMatchObject({ mailState: 'failed', mailSentence: MAIL_REASON_TEXTS.unclear })
  })

  test('is not sent twice when the process ends in the middle of it', async () => {
    letFail()
    const { callAsAccount } = world.app
    world.app.callAsAccount = (account, call, options) =>
      callAsAccount(
        account,
        (api, token) =>
          call({ ...api, sendEmail: (...given) => api.sendEmail(...given).then(() => Promise.reject(KILLED)) }, token),
        options,
      )
    await round()
    world.app.callAsAccount = callAsAccount
    clock.advance(hours(1))
    await round()
    expect(world.platform.asked.filter((one) => one.startsWith('email'))).toHaveLength(1)
    expect(await newest()).toMatchObject({ mailState: 'failed', mailSentence: MAIL_REASON_TEXTS.unclear })
  })

  test('is sent by one of two processes that share the file', async () => {
    letFail()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    world.platform.before = ({ verb }) => (verb === 'email' ? held : undefined)
    const first = round()
    const second = round()
    await expect.poll(() => world.platform.asked.filter((one) => one.startsWith('email')).length).toBe(1)
    release()
    await Promise.all([first, second])
    expect(mails()).toHaveLength(1)
  })

  test('about what is over is not sent any more', async () => {
    world.platform.failures.email.push({ outcome: 'unavailable', status: 500, message: 'Oops', undone: true })
    letFail()
    await round()
    letRecover()
    clock.advance(minutes(1))
    await round()
    expect(stored()).toMatchObject([{ code: 'sent' }, { code: 'superseded' }])
    expect(mails()).toMatchObject([{ subject: 'Your Job webhook works again' }])
  })

  test('is one of five a day', async () => {
    for (let time = 0; time < 4; time += 1) {
      letFail()
      await round()
      letRecover()
      await round()
      clock.advance(minutes(30))
    }
    expect(mails()).toHaveLength(5)
    expect(stored()).toMatchObject([...Array(3).fill({ code: 'too_many' }), ...Array(5).fill({ code: 'sent' })])
    clock.advance(days(1))
    letFail()
    await round()
    expect(mails()).toHaveLength(6)
  })
})

test('a round with many addresses in trouble looks at twenty, and at the others in the next', async () => {
  const { sql } = world.client
  letFail()
  const insert = sql.prepare(
    `INSERT INTO endpoint (account_uuid, forwarding_rule_id, object_type, field_filter, url, secret_sealed, state, state_reason,
       state_since, breaker, breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES (?, ?, 'job', '', ?, 's', 'stopped', 'Gone.', 1, 'closed', 0, 0, '[]', 0, 0, 1)`,
  )
  const rule = sql.prepare(
    `INSERT INTO forwarding_rule (account_uuid, name, object_type, created_at, updated_at) VALUES (?, ?, 'job', 1, 1)`,
  )
  for (let n = 0; n < 24; n += 1) {
    const { lastInsertRowid } = rule.run(LEEDS, `Copy ${n}`)
    insert.run(LEEDS, lastInsertRowid, `https://example.com/copy/${n}`)
  }
  world.probes.set('https://example.com/copy/0', [seenWell({ endedAt: 'name' })])
  await round()
  expect(world.probed).toHaveLength(20)
  expect(await notices()).toHaveLength(25)
  await round()
  expect(world.probed).toHaveLength(25)
  expect(await notices()).toHaveLength(25)
})
