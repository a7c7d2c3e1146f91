import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { days } from '#app/lib/duration.ts'
import { AU_ACCOUNT } from '../seed/au-firm.ts'
import { UK_ACCOUNT } from '../seed/uk-firm.ts'
import { JOB_STATUSES } from '../world.ts'
import { openConsole, type TestConsole } from './testing.server.ts'

const UK = `accounts/${UK_ACCOUNT}`
const PAGE = `/sandbox/console/${UK}`

let stage: TestConsole

beforeAll(async () => {
  stage = await openConsole()
})

afterAll(() => stage.stop())

function jobNumbered(number: string) {
  const job = stage.world.records(UK_ACCOUNT, 'job').find((one) => one.generated_job_id === number)
  if (!job) throw new Error(`the seed has no job ${number}`)
  return job
}

describe('the stage', () => {
  it('says at once that it is a pretend platform', async () => {
    const { status, text } = await stage.get('/sandbox')
    expect(status).toBe(200)
    expect(text).toContain('<h1>This is a pretend ServiceM8</h1>')
  })

  it('has for each account a link that opens the add-on', async () => {
    const { text } = await stage.get('/sandbox')
    for (const [uuid, name] of [
      [UK_ACCOUNT, 'Alder &amp; Finch Plumbing and Heating'],
      [AU_ACCOUNT, 'Banksia Bay Electrical'],
    ]) {
      expect(text).toContain(`href="${stage.origin}/fieldhook?accountUUID=${uuid}">Open Fieldhook as ${name}</a>`)
      expect(text).toContain(`href="${stage.origin}/fieldhook?accountUUID=${uuid}&amp;admin=yes"`)
    }
  })

  it('has buttons named exactly by the job statuses, the current one pressed', async () => {
    const { text } = await stage.get('/sandbox')
    for (const status of JOB_STATUSES) expect(text).toContain(`>${status}</button>`)
    const job = jobNumbered('3128')
    const item = text.slice(text.indexOf(`id="job-${job.uuid}"`), text.indexOf('</article>'))
    expect(item).toContain('value="Work Order" aria-pressed="true"')
    expect(item).toContain('value="Completed" aria-pressed="false"')
  })

  it('shows the time in both zones', async () => {
    const { text } = await stage.get('/sandbox')
    expect(text).toContain('<strong>Mon 5 Jan 2026, 09:00</strong> in London')
    expect(text).toContain('<strong>Mon 5 Jan 2026, 19:00</strong> in Brisbane')
  })

  it('has no script and no inline style anywhere, and says so in its policy', async () => {
    for (const path of [
      '/sandbox',
      PAGE,
      `${PAGE}/jobs/${jobNumbered('3126').uuid}`,
      `${PAGE}/switches`,
      '/sandbox/nope',
    ]) {
      const { text } = await stage.get(path)
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    }
    const { headers } = await stage.get('/sandbox')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /)
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
  })

  it('brings its own style and icon', async () => {
    expect((await stage.get('/sandbox/console/console.css')).headers.get('content-type')).toContain('text/css')
    expect((await stage.get('/sandbox/console/icon.svg')).status).toBe(200)
  })

  it.each(['', '/office', '/outbox', '/webhooks', '/posts', '/opening', '/switches'])(
    'draws %s of an account',
    async (path) => {
      const { status, text } = await stage.get(`${PAGE}${path}`)
      expect(status).toBe(200)
      expect(text).toContain('<h1>Alder &amp; Finch Plumbing and Heating</h1>')
    },
  )

  it('answers a page of its own for what does not exist', async () => {
    const lost = await Promise.all(
      ['/sandbox/console/nothing', '/sandbox/console/accounts/x', `${PAGE}/jobs/x`, '/sandbox/console/opened/99'].map(
        (path) => stage.get(path),
      ),
    )
    expect(lost.map((one) => one.status)).toEqual([404, 404, 404, 404])
    expect(lost[0]?.text).toContain('Back to the stage')
  })
})

describe('finding jobs', () => {
  it('finds by number, by customer and by words', async () => {
    for (const search of ['3126', 'larkfield', 'ceiling of flat 14']) {
      const { text } = await stage.get(`${PAGE}?search=${encodeURIComponent(search)}`)
      expect([search, text.includes('>Job 3126</a>')]).toEqual([search, true])
      expect(text).not.toContain('>Job 3120</a>')
    }
  })

  it('filters by status and pages through the rest', async () => {
    const lost = await stage.get(`${PAGE}?status=Unsuccessful`)
    expect(lost.text).toContain('2 jobs')
    const second = await stage.get(`${PAGE}?page=2`)
    expect(second.text).toContain('Page 2 of 3')
    expect(second.text).toContain('>Job 3116</a>')
    expect((await stage.get(`${PAGE}?search=zebra`)).text).toContain('No job fits.')
  })
})

describe('the customer', () => {
  it('answers, opens and sends back from the page of a job', async () => {
    const { uuid } = jobNumbered('3126')
    const job = `${UK}/jobs/${uuid}`
    const answered = await stage.pressAndLook(`${job}/answers`, {
      ...{ channel: 'sms', from: '+447700900123', text: 'Yes, please come', back: `${PAGE}/jobs/${uuid}` },
    })
    expect(answered.text).toContain('The customer answered “Yes, please come”. Fieldhook sees it at its next look.')
    expect(answered.text).toContain('Text from +447700900123')
    const token = stage.world.grant(UK_ACCOUNT, 'publish_email').access_token
    await fetch(`${stage.world.baseUrl}/platform_service_email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'a@b.example', subject: 'Quote', textBody: 'Hello', regardingJobUUID: uuid }),
    })
    const row = stage.world.conversation(UK_ACCOUNT, uuid).find(({ channel }) => channel === 'email')?.row.uuid ?? ''
    const back = `${PAGE}/jobs/${uuid}`
    expect((await stage.pressAndLook(`${job}/opens`, { row, back })).text).toContain('The customer opened the e-mail.')
    const bounced = await stage.pressAndLook(`${job}/bounces`, { row, back })
    expect(bounced.text).toContain('The e-mail came back.')
    expect(bounced.text).toContain('Came back')
    expect((await stage.pressAndLook(`${job}/opens`, { row: 'x', back })).text).toContain('There is no such e-mail')
  })
})

describe('moving the clock', () => {
  it('moves it forward for everybody and says so once', async () => {
    const before = stage.clock.now()
    const { to } = await stage.press('clock', { by: '3d', back: '/sandbox' })
    expect(stage.clock.now() - before).toBe(days(3))
    expect((await stage.get(to)).text).toContain(
      'The clock moved forward by 3 days: it is Thu 8 Jan 2026, 09:00 in London.',
    )
    expect((await stage.get(to)).text).not.toContain('The clock moved forward by 3 days')
  })

  it('offers fourteen days for the end of a trial and no way back', async () => {
    const before = stage.clock.now()
    await stage.press('clock', { by: '14d', back: '/sandbox' })
    expect(stage.clock.now() - before).toBe(days(14))
    expect((await stage.press('clock', { by: '-1d', back: '/sandbox' })).status).toBe(404)
  })
})

describe('the switches', () => {
  const all = {
    back: PAGE,
    pageSize: '50',
    perMinute: '10',
    perDay: '100',
    messagesPerMinute: '5',
    messagesPerDay: '9',
    dropNextDeliveries: '0',
    deliveryDelaySeconds: '2',
    undeliveredNext: '1',
    historyLateMinutes: '7',
    historyClockSkewMinutes: '-10',
    historyDoubled: '1',
    objectSpelling: 'upper',
    deliveryWrapping: 'form_value',
    withheldScopes: 'publish_sms manage_jobs',
    undocumentedWebhooks: 'staff queue',
    oneSubscriptionPerObject: '1',
    manifestWebhooks: 'Job: status, queue_uuid\nnote: note',
    messagingSilent: '1',
  }

  it('save every option of the form', async () => {
    const { text } = await stage.pressAndLook(`${UK}/options`, all)
    expect(text).toContain('The switches are saved.')
    expect(stage.world.options(UK_ACCOUNT)).toEqual({
      pageSize: 50,
      perMinute: 10,
      perDay: 100,
      messagesPerMinute: 5,
      messagesPerDay: 9,
      dropNextDeliveries: 0,
      deliveryDelayMs: 2000,
      objectSpelling: 'upper',
      deliveryWrapping: 'form_value',
      withheldScopes: ['publish_sms', 'manage_jobs'],
      manifestWebhooks: [
        { object: 'job', fields: ['status', 'queue_uuid'] },
        { object: 'note', fields: ['note'] },
      ],
      messagingSilent: true,
      undocumentedWebhooks: ['staff', 'queue'],
      oneSubscriptionPerObject: true,
      unpaid: false,
      insistOnHttps: false,
      quotedFlags: false,
      duplicateDeliveries: false,
      reorderDeliveries: false,
      documentsFail: false,
      undeliveredNext: 1,
      historyLateMinutes: 7,
      historyClockSkewMinutes: -10,
      historyDoubled: true,
      historyMissing: false,
      historyRefused: false,
    })
  })

  it.each([
    [{ pageSize: '0' }, 'Records a page must be a whole number from 1 to 5000.'],
    [{ perDay: 'many' }, 'Calls a day must be a whole number from 0 to 1000000.'],
    [{ withheldScopes: 'fly' }, '“fly” is not the name of a right.'],
    [{ manifestWebhooks: 'rocket: fuel' }, '“rocket” is not an object that webhooks can watch.'],
    [{ manifestWebhooks: 'job: colour' }, 'Job has no field “colour”.'],
  ])('refuse %j with a sentence and save nothing', async (wrong, sentence) => {
    const before = stage.world.options(UK_ACCOUNT)
    const { text } = await stage.pressAndLook(`${UK}/options`, { ...all, ...wrong })
    expect(text).toContain(sentence)
    expect(stage.world.options(UK_ACCOUNT)).toEqual(before)
  })

  it('spoil the next calls and let them work again', async () => {
    const fault = { back: `${PAGE}/switches`, effect: 'status:429', path: '/api_1.0/job*', method: 'GET', times: '3' }
    const { text } = await stage.pressAndLook(`${UK}/fault`, fault)
    expect(text).toContain('3 calls will go wrong.')
    expect(stage.world.faults()).toMatchObject([
      {
        accountUuid: UK_ACCOUNT,
        method: 'GET',
        path: '/api_1.0/job*',
        effect: { kind: 'status', status: 429 },
        left: 3,
      },
    ])
    await stage.press(`accounts/${AU_ACCOUNT}/fault`, { ...fault, effect: 'hang' })
    await stage.press(`${UK}/clear-faults`, { back: PAGE })
    expect(stage.world.faults()).toMatchObject([{ accountUuid: AU_ACCOUNT, effect: { kind: 'hang' } }])
    expect((await stage.pressAndLook(`${UK}/fault`, { ...fault, path: '/etc/*' })).text).toContain(
      'not one of the choices',
    )
  })
})

describe('opening the add-on from inside the platform', () => {
  it('shows the answer to the signed post in a frame', async () => {
    const { to } = await stage.press(`${UK}/opening`, { how: 'frame', back: PAGE })
    const { text } = await stage.get(to)
    expect(text).toContain('The add-on answered 200')
    expect(text).toContain('as Priya Alder')
    const source = /<iframe[^>]+src="([^"]+)"/.exec(text)?.[1] ?? ''
    const answer = await stage.get(source)
    expect(answer.text).toBe('<p>Opening Fieldhook…</p>')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
  })

  it('shows only the answer in a tab', async () => {
    const { to } = await stage.press(`${UK}/opening`, { how: 'tab', back: PAGE })
    expect((await stage.get(to)).text).toBe('<p>Opening Fieldhook…</p>')
  })

  it('shows what is signed', async () => {
    const job = jobNumbered('3126').uuid
    const { text } = await stage.pressAndLook(`${UK}/opening`, {
      how: 'token',
      job,
      event: 'fieldhook_job',
      back: PAGE,
    })
    expect(text).toContain(`&quot;accountUUID&quot;: &quot;${UK_ACCOUNT}&quot;`)
    expect(text).toContain('&quot;eventName&quot;: &quot;fieldhook_job&quot;')
    expect(text).toContain(`&quot;jobUUID&quot;: &quot;${job}&quot;`)
  })
})

describe('who may press', () => {
  const press = (headers: Record<string, string>) => stage.press('clock', { by: '1m', back: '/sandbox' }, headers)

  it('takes presses from its own pages only', async () => {
    const before = stage.clock.now()
    const foreign = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: stage.origin, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      // A name that was made to lead to this machine.
      { origin: 'http://evil.example:3000', 'sec-fetch-site': 'same-origin' },
    ]
    const answers = await Promise.all(foreign.map((headers) => press(headers as Record<string, string>)))
    expect(answers.map((one) => one.status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(answers[0]?.text).toContain(`Open it at ${stage.origin}/sandbox`)
    expect(stage.clock.now()).toBe(before)
  })

  it('takes them whichever way the machine is called', async () => {
    expect((await press({ origin: stage.origin })).status).toBe(303)
    expect((await press({ origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  })

  it('refuses other methods and forms that are too long', async () => {
    const put = await fetch(`${stage.origin}/sandbox`, { method: 'PUT', headers: { origin: stage.origin } })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await stage.press('clock', { by: 'x'.repeat(70_000) })).status).toBe(413)
  })

  it('never sends the browser anywhere else', async () => {
    for (const back of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/fieldhook',
      'javascript:alert(1)',
    ]) {
      const { to } = await stage.press('clock', { by: '1m', back })
      expect([back, to.startsWith('/sandbox?said=')]).toEqual([back, true])
    }
  })
})

describe('the receivers', () => {
  it('are set up from their pages', async () => {
    const set = await stage.pressAndLook('receivers/demo/behaviour', { behaviour: 'status=500' })
    expect(set.text).toContain('It answers like this from now on.')
    expect(stage.receiver.log.behaviourOf('demo')).toBe('status=500')
    expect((await stage.press('receivers/demo/behaviour', { behaviour: 'status=777' })).status).toBe(404)
    const secret = await stage.pressAndLook('receivers/demo/secret', { secret: 'nothing like it' })
    expect(secret.text).toContain('That is not a signing secret.')
    await stage.press('receivers/demo/clear', {})
    expect(stage.receiver.log.total('demo')).toBe(0)
    expect((await stage.get('/sandbox/console/receivers')).text).toContain(
      `<code>${stage.origin}/sandbox/receiver/demo</code>`,
    )
  })
})

describe('API keys', () => {
  it('are made on the page, shown once, and taken back', async () => {
    const back = `${PAGE}/webhooks`
    const { text } = await stage.pressAndLook(`${UK}/key`, { back })
    const key = /smk-[\w-]+/.exec(text)?.[0] ?? ''
    const call = () => fetch(`${stage.world.baseUrl}/api_1.0/vendor.json`, { headers: { 'x-api-key': key } })
    expect(await (await call()).json()).toMatchObject([{ uuid: UK_ACCOUNT }])
    const again = (await stage.get(back)).text
    expect(again).not.toContain(key)
    expect(again).toContain('Made <time')
    expect((await stage.pressAndLook(`${UK}/remove-keys`, { back })).text).toContain('Every key is taken back.')
    expect((await call()).status).toBe(401)
  })
})
