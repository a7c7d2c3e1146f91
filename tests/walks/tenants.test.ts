// Long: one walk over every address. Two accounts and a stranger at the built server: every address of the product, called for another account's ids, answers as if
// nothing were there, changes nothing, and shows nothing; and no answer and no line of the log ever holds a key.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { type SealedSecret, sealedPlace } from '#app/domain/sealed-places.ts'
import { CALL_PATHS } from '#app/routes/api/calls.server.ts'
import routes from '#app/routes/table.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { untold } from '#tests/support/answers-told.ts'
import { MATRIX, type MatrixCall, OPEN_ROUTES, type OwnedIds } from '#tests/support/call-matrix.ts'
import { drawnButtons, pressedButtons } from '#tests/support/page-buttons.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { signIn } from '#tests/support/signed-in-server.ts'

/** Words that stand in what the owner made and nowhere else. */
const MARK = 'only-the-owner-knows'

/** Of one account: the caller's own page shows the caller's own mark. */
function markOf(account: string): string {
  return `${MARK}-${account.slice(0, 8)}`
}

/** Everything of an account that a call could change; what merely being looked at writes (calls, sessions) is left out. */
const OWNED_TABLES = [
  'account_mapping',
  'account_setting',
  'automation',
  'automation_guard',
  'credential',
  'endpoint',
  'forwarding_rule',
  'mute',
  'plan',
  'replay',
  'run',
  'subscription',
  'webhook',
]

let server: ServerProcess
let accounts: { uuid: string; browser: ScriptlessBrowser }[] = []
const stranger = () => scriptlessBrowser(server.origin)
const heard: string[] = []
/** What was answered, and the reference of the calls does not tell. */
const notTold: string[] = []

beforeAll(async () => {
  server = await startServerProcess({ LOG_LEVEL: 'debug', REQUESTS_PER_MINUTE: '100000' })
  const stage = await stranger().get('/sandbox')
  const uuids = [
    ...new Set([...stage.text.matchAll(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/g)].map(([, uuid]) => uuid ?? '')),
  ]
  accounts = await Promise.all(
    uuids.slice(0, 2).map(async (uuid) => {
      const browser = scriptlessBrowser(server.origin)
      const back = await signIn(browser, uuid)
      expect(back.status).toBe(200)
      return { uuid, browser }
    }),
  )
})
afterAll(() => server.dispose())

test('every route is in the matrix, or says why it is not', () => {
  const listed = new Set([...MATRIX.map(({ route }) => route), ...Object.keys(OPEN_ROUTES)])
  const missing = routes.map(({ path }) => path ?? '').filter((path) => !listed.has(path))
  expect(missing).toEqual([])
  const known = new Set<string | undefined>([...routes.map(({ path }) => path), ...CALL_PATHS])
  expect([...MATRIX.map(({ route }) => route)].filter((route) => !known.has(route))).toEqual([])
})

test('every page that has buttons has one of them in the matrix', () => {
  const pressed = new Set(MATRIX.filter(({ form }) => form).map(({ route }) => route))
  const withButtons = routes.filter(
    ({ file }) =>
      file.startsWith('routes/pages/') &&
      // Where the loader answers every method, it refuses all but its own.
      /export (async function action|const action\b(?! = loader))/.test(readFileSync(join('app', file), 'utf8')),
  )
  // The page for unknown addresses answers every method, and has no button.
  const paths = withButtons.map(({ path }) => path ?? '').filter((path) => path !== '*')
  expect(paths.length).toBeGreaterThan(8)
  expect(
    paths.filter((path) => !pressed.has(path) && !MATRIX.some((one) => one.method === 'POST' && one.route === path)),
  ).toEqual([])
})

test('every button that a page draws is pressed by the matrix', () => {
  const drawn = drawnButtons()
  expect(drawn.length).toBeGreaterThan(40)
  const pressed = new Set(pressedButtons(MATRIX))
  // The operator's own, who may press it: shown elsewhere.
  expect(drawn.filter((button) => !pressed.has(button))).toEqual(['intent=end_sessions'])
})

describe.each([
  [0, 1],
  [1, 0],
])('what account %i owns', (owning, calling) => {
  let ids: OwnedIds
  let owner: ScriptlessBrowser
  let other: ScriptlessBrowser

  beforeAll(async () => {
    owner = accountAt(owning).browser
    other = accountAt(calling).browser
    ids = await makeThings(owner, accountAt(owning).uuid)
  })

  test('is not there for a stranger or for the other account, and stays as it is', async () => {
    const before = rowsOf(ids.account)
    const wrong: string[] = []
    for (const one of MATRIX) {
      for (const [who, browser, wanted] of [
        ['stranger', stranger(), one.stranger],
        ['other', other, one.other],
      ] as const) {
        const answer = await send(browser, one, ids)
        const said = `${who}: ${one.method} ${one.route} answered ${answer.status} ${answer.text.slice(0, 120)}`
        if (wanted !== 'page' && answer.status !== wanted && !isBraked(one, answer.status)) wrong.push(said)
        if (answer.status >= 500) wrong.push(said)
        if (answer.text.includes(MARK)) wrong.push(`${who}: ${one.method} ${one.route} shows what is the owner’s`)
        if (who === 'other' && wanted === 404) {
          const unknown = await send(browser, one, NOBODY)
          if (unknown.text !== answer.text)
            wrong.push(`${one.method} ${one.route} tells what exists from what does not`)
        }
        // The same button on the caller's own page, with the owner's ids in it.
        if (who === 'other' && one.form && !one.signsOut) {
          const own = await send(
            browser,
            { ...one, path: (at) => one.path({ ...at, account: accountAt(calling).uuid }) },
            ids,
          )
          if (own.status >= 500 || own.text.includes(markOf(ids.account)))
            wrong.push(`other, at home: ${one.route} ${own.status}`)
        }
      }
    }
    expect(wrong).toEqual([])
    expect(rowsOf(ids.account)).toEqual(before)
  })

  test('cannot be changed from another site, nor by a call that does not say where it comes from', async () => {
    const before = rowsOf(ids.account)
    const wrong: string[] = []
    // Judged before a form is read: of a page's buttons one stands for all.
    const buttons = new Set<string>()
    for (const one of MATRIX.filter(({ method }) => method !== 'GET')) {
      if (one.form && buttons.has(one.route)) continue
      if (one.form) buttons.add(one.route)
      const path = one.path(ids)
      for (const [from, headers, allowed] of [
        ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, [403]],
        ['a sandboxed frame', { origin: 'null' }, [403]],
        ['a sibling of our site', { 'sec-fetch-site': 'same-site' }, [403]],
        ['nowhere', {}, [401, 403, 404]],
      ] as const) {
        const answer = await sendWith(owner, one, path, ids, headers)
        // The trigger takes calls from anywhere: its key is its proof, and this one is wrong. A page leads to its gate.
        const fine: readonly number[] = one.route.endsWith('/trigger')
          ? [404]
          : one.form && from === 'nowhere'
            ? [303]
            : allowed
        if (!fine.includes(answer.status) && !isBraked(one, answer.status))
          wrong.push(`${one.method} ${one.route} from ${from}: ${answer.status}`)
      }
    }
    expect(wrong).toEqual([])
    expect(rowsOf(ids.account)).toEqual(before)
  })

  test('is not changed by opening any address, by the owner either', async () => {
    const all = () => [rowsOf(ids.account), countsOf('template_use', 'ticket', 'sign_in_attempt', 'account_mapping')]
    const before = all()
    for (const one of MATRIX.filter(({ method }) => method === 'GET')) {
      for (const site of ['same-origin', 'cross-site', 'none']) {
        await owner.rawText('GET', one.path(ids), undefined, { 'sec-fetch-site': site })
      }
    }
    await owner.rawText('GET', `/automation?accountUUID=${ids.account}&copy=1`, undefined, {
      'sec-fetch-site': 'same-origin',
    })
    expect(all()).toEqual(before)
  })

  test('is there for the owner', async () => {
    const wrong: string[] = []
    for (const one of MATRIX.filter(({ ownerSkips }) => !ownerSkips)) {
      const answer = await send(owner, one, ids)
      if (answer.status === 401 || answer.status >= 500)
        wrong.push(`${one.method} ${one.route}: ${answer.status} ${answer.text}`)
    }
    expect(wrong).toEqual([])
    // The matrix would be worth nothing if the marks were not to be seen at all.
    expect((await owner.get(`/automation?accountUUID=${ids.account}`)).text).toContain(MARK)
    expect((await owner.get(`/fieldhook?accountUUID=${ids.account}`)).text).toContain(MARK)
  })
})

test('the reference of the calls tells every answer that was given', () => {
  expect(notTold).toEqual([])
})

test('no answer and no line of the log holds a key', async () => {
  for (const path of [
    '/none',
    '/%',
    '/%C3',
    '/api/none',
    '/launch',
    '/readyz',
    '/metrics',
    '/documents/none',
    '/hooks/stripe',
  ]) {
    for (const browser of [accountAt(0).browser, stranger()]) {
      const headers = { 'sec-fetch-site': 'same-origin', origin: server.origin }
      for (const method of ['GET', 'POST']) heard.push((await browser.rawText(method, path, undefined, headers)).text)
    }
  }
  const keys = await secretsOnDisk()
  expect(keys.length).toBeGreaterThan(6)
  expect(heard.length).toBeGreaterThan(MATRIX.length)
  const log = server.output()
  expect(log.length).toBeGreaterThan(1_000)
  for (const { what, value } of keys) {
    expect({ what, answers: heard.filter((text) => text.includes(value)).length }).toEqual({ what, answers: 0 })
    expect({ what, logged: log.includes(value) }).toEqual({ what, logged: false })
  }
  // Their owner is shown these; the log is not.
  const shown = await capabilitiesOnDisk()
  expect(shown.length).toBeGreaterThan(6)
  for (const { what, value } of shown) {
    expect({ what, logged: log.includes(value) }).toEqual({ what, logged: false })
  }
})

const NOBODY: OwnedIds = {
  account: '00000000-0000-4000-8000-00000000dead',
  webhook: 9_000_001,
  rule: 9_000_001,
  delivery: 9_000_001,
  automation: 9_000_001,
  run: 9_000_001,
  mute: 9_000_001,
  template: 9_000_001,
}

function accountAt(index: number) {
  const account = accounts[index]
  if (!account) throw new Error('the sandbox has two accounts')
  return account
}

/** Linking is limited to a few tries a minute for each address, and all of us here have the same. */
function isBraked({ route }: MatrixCall, status: number): boolean {
  return (route === 'api/account-link' || route === 'link') && status === 429
}

async function send(browser: ScriptlessBrowser, one: MatrixCall, ids: OwnedIds) {
  const headers = { 'sec-fetch-site': 'same-origin', origin: server.origin }
  const answer = await sendWith(browser, one, one.path(ids), ids, headers)
  heard.push(answer.text)
  const missing = untold(one, answer)
  if (missing !== null) notTold.push(missing)
  return answer
}

function sendWith(
  browser: ScriptlessBrowser,
  { method, form, body }: MatrixCall,
  path: string,
  ids: OwnedIds,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  if (!form) return browser.raw(method, path, body?.(ids), headers)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return browser.rawText(method, path, `${new URLSearchParams(form(ids))}`, { ...headers, ...type })
}

/** A webhook, a forwarding rule, an automation, what they did, all with the mark in them. */
async function makeThings(owner: ScriptlessBrowser, account: string): Promise<OwnedIds> {
  const made = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await owner.json(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Record<string, unknown>
  }
  const receiver = `${server.origin}/sandbox/receiver/${markOf(account)}`
  const webhook = await made('POST', '/api/webhooks', {
    callback_url: receiver,
    object: 'job',
    fields: '',
    active: true,
    accountUUID: account,
  })
  const rule = await made('POST', `/api/forwarding-rules?accountUUID=${account}`, {
    name: MARK,
    objectType: 'job',
    forwardUrl: receiver,
    active: true,
    fieldFilters: '',
  })
  const automation = await made('POST', '/api/automation', {
    accountUUID: account,
    name: MARK,
    triggerSource: 'manual_endpoint',
    actions: [{ type: 'create_task', parameters: { title: `${MARK} {job_uuid}` } }],
  })
  const jobs = (await made('GET', `/api/servicem8/jobs/${account}`)) as unknown as {
    uuid: string
    company_uuid?: string
  }[]
  const job = jobs[0]?.uuid ?? ''
  await scriptlessBrowser(server.origin).raw('POST', String(webhook.forwardingUrl), {
    object: 'job',
    entry: [{ uuid: job, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
    resource_url: `https://api.servicem8.com/api_1.0/job/${job}.json`,
  })
  const key = new URL(String(automation.triggerUrl), server.origin)
  await scriptlessBrowser(server.origin).raw('POST', key.pathname + key.search, { job_uuid: job, date: '2026-01-05' })
  const mute = await made('POST', `/api/mutes?accountUUID=${account}`, { kind: 'job', recordUuid: job })
  const db = server.database.open()
  try {
    const idOf = (sql: string) => (db.prepare(sql).get(account) as { id: number } | undefined)?.id ?? 0
    const ids: OwnedIds = {
      account,
      webhook: Number(webhook.id),
      rule: Number(rule.id),
      automation: Number(automation.id),
      mute: Number(mute.id),
      delivery: idOf('SELECT id FROM delivery WHERE account_uuid = ? ORDER BY id LIMIT 1'),
      run: idOf('SELECT id FROM run WHERE account_uuid = ? ORDER BY id LIMIT 1'),
      template: 1,
    }
    expect(Object.values(ids)).not.toContain(0)
    return ids
  } finally {
    db.close()
  }
}

/** All rows of the account, with what a run changes by itself left out. */
function rowsOf(account: string): Record<string, unknown> {
  const db = server.database.open()
  try {
    return Object.fromEntries(
      OWNED_TABLES.map((table) => {
        const rows = db.prepare(`SELECT * FROM ${table} WHERE account_uuid = ?`).all(account) as Record<
          string,
          unknown
        >[]
        return [
          table,
          rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !BY_ITSELF.test(name)))),
        ]
      }),
    )
  } finally {
    db.close()
  }
}

/** How many rows there are of all accounts. */
function countsOf(...tables: string[]): unknown[] {
  const db = server.database.open()
  try {
    return tables.map((table) => [table, db.prepare(`SELECT count(*) AS n FROM ${table}`).get()])
  } finally {
    db.close()
  }
}

/** Columns the engines write on their own account: health, counters, times, the state of a run at work. */
const BY_ITSELF =
  /^(pending_count|state_since|execution_count|executions|updated_at|started_at|ended_at|outcome|reason|state|owner|generation)$|^(last|hold|failing|failure|breaker|next|redirect|lease)_|_sealed$/

/** Addresses, keys of triggers and signing secrets. */
async function capabilitiesOnDisk(): Promise<{ what: string; value: string }[]> {
  const { encKeys } = JSON.parse(readFileSync(join(server.folder, 'sandbox-secrets.json'), 'utf8'))
  const db = server.database.open()
  const keys = server.database.connect()
  const box = createSecretBox(
    encKeys,
    accountKeyring(keys, () => 0),
  )
  const all = (what: SealedSecret, sql: string) =>
    Promise.all(
      (db.prepare(sql).all() as { account: string; sealed: string }[]).map(async ({ account, sealed }) => ({
        what,
        value: await box.open(sealedPlace(what, account), sealed),
      })),
    )
  try {
    return [
      ...(await all('subscription_token', 'SELECT account_uuid AS account, token_sealed AS sealed FROM subscription')),
      ...(await all('signing_secret', 'SELECT account_uuid AS account, secret_sealed AS sealed FROM endpoint')),
      ...(await all(
        'trigger_key',
        'SELECT account_uuid AS account, trigger_key_sealed AS sealed FROM automation WHERE trigger_key_sealed IS NOT NULL',
      )),
    ]
  } finally {
    db.close()
    await keys.close()
  }
}

/** Tokens and secrets as they are, opened with the sandbox's own keys. */
async function secretsOnDisk(): Promise<{ what: string; value: string }[]> {
  const { encKeys, sessionSecret, appSecret } = JSON.parse(
    readFileSync(join(server.folder, 'sandbox-secrets.json'), 'utf8'),
  )
  const db = server.database.open()
  const keys = server.database.connect()
  const box = createSecretBox(
    encKeys,
    accountKeyring(keys, () => 0),
  )
  try {
    const rows = db.prepare('SELECT * FROM credential').all() as Record<string, string>[]
    const tokens = await Promise.all(
      rows.flatMap((row) =>
        (['access_token', 'refresh_token'] as const).map(async (column) => ({
          what: column,
          value: await box.open(`credential|${row.account_uuid}|${column}`, row[`${column}_sealed`] ?? ''),
        })),
      ),
    )
    return [
      ...tokens,
      { what: 'session secret', value: sessionSecret },
      ...String(encKeys)
        .split(',')
        .map((key) => ({ what: 'encryption key', value: key.split(':')[1] ?? '' })),
      { what: 'app secret', value: appSecret },
    ]
  } finally {
    db.close()
    await keys.close()
  }
}
