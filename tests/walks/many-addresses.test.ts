// One account with 1,000 addresses beside one with 20, at the built server: its page, one event for all of them, and the memory.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { signIn } from '#tests/support/signed-in-server.ts'

const FEW = 20
const MANY = 1_000

interface Firm {
  browser: ScriptlessBrowser
  account: string
  forwardingUrl: string
}

let server: ServerProcess
let few: Firm
let many: Firm

beforeAll(async () => {
  server = await startServerProcess({ REQUESTS_PER_MINUTE: '100000' })
  const stage = await scriptlessBrowser(server.origin).get('/sandbox')
  const ids = [...new Set([...stage.text.matchAll(/accountUUID=([0-9a-f-]{36})/g)].map(([, id]) => id ?? ''))]
  few = await furnish(ids[0] ?? '', FEW)
  many = await furnish(ids[1] ?? '', MANY)
})

afterAll(() => server.dispose())

/** A webhook and rules up to so many addresses, all for jobs: the first two made as a person makes them, the others as copies. */
async function furnish(account: string, addresses: number): Promise<Firm> {
  const browser = scriptlessBrowser(server.origin)
  await signIn(browser, account)
  const callback_url = `${server.origin}/sandbox/receiver/${addresses}`
  const made = await browser.json('POST', '/api/webhooks', { accountUUID: account, object: 'job', callback_url })
  expect((await addRule(browser, account, 1)).status).toBe(201)
  const db = server.database.open()
  try {
    db.transaction(() => {
      const rule = db.prepare('SELECT * FROM forwarding_rule WHERE account_uuid = ?').get(account) as Row
      const endpoint = db.prepare('SELECT * FROM endpoint WHERE forwarding_rule_id = ?').get(rule.id) as Row
      for (let n = 2; n < addresses; n++) {
        const id = insert(db, 'forwarding_rule', { ...rule, id: undefined, name: `Office ${n}` })
        insert(db, 'endpoint', { ...endpoint, id: undefined, forwarding_rule_id: id, url: `${callback_url}-${n}` })
      }
    })()
  } finally {
    db.close()
  }
  return { browser, account, forwardingUrl: (made.body as { forwardingUrl: string }).forwardingUrl }
}

type Row = Record<string, unknown>

function insert(db: ReturnType<typeof server.database.open>, table: string, row: Row): number | bigint {
  const names = Object.keys(row).filter((name) => row[name] !== undefined)
  const statement = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  return db.prepare(statement).run(...names.map((name) => row[name])).lastInsertRowid
}

function addRule(browser: ScriptlessBrowser, account: string, n: number) {
  return browser.json('POST', `/api/forwarding-rules?accountUUID=${account}`, {
    name: `Office ${n}`,
    objectType: 'job',
    forwardUrl: `${server.origin}/sandbox/receiver/office-${n}`,
    fieldFilters: '',
  })
}

const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

async function fastest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 6; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return Math.min(...times)
}

/** Milliseconds from the platform's call until every address has it. */
async function fanOut({ account, forwardingUrl }: Firm, addresses: number): Promise<number> {
  const db = server.database.open()
  try {
    const delivered = db.prepare("SELECT count(*) FROM delivery WHERE account_uuid = ? AND state = 'delivered'").pluck()
    const uuid = '5f1c3a52-7a33-4f0e-9c41-000000000001'
    const began = performance.now()
    const answer = await fetch(forwardingUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        object: 'job',
        entry: [{ uuid, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
        resource_url: `https://api.servicem8.com/api_1.0/job/${uuid}.json`,
      }),
    })
    expect(answer.status).toBe(200)
    await expect.poll(() => delivered.get(account), { timeout: 50_000, interval: 20 }).toBe(addresses)
    return performance.now() - began
  } finally {
    db.close()
  }
}

test('a page of 1,000 addresses lists them all, and takes less than twenty times as long as one of 20', async () => {
  const open = ({ browser, account }: Firm) => browser.get(`/fieldhook?accountUUID=${account}`)
  const small = await open(few)
  const large = await open(many)
  expect(large.status).toBe(200)
  expect(large.text.match(/id="rule-\d+"/g)).toHaveLength(MANY - 1)
  expect(large.text.length / small.text.length).toBeLessThan(5)
  const ratio = (await fastest(() => open(many))) / (await fastest(() => open(few)))
  // Fifty times the addresses: a page that costs as much per address would be at 50.
  expect(ratio).toBeLessThan(20)
  // Opened by its address, a line is the whole card.
  const last = /id="(rule-\d+)"(?!.*id="rule-)/s.exec(large.text)?.[1]
  const opened = await many.browser.get(`/fieldhook?accountUUID=${many.account}&card=${last}`)
  expect(opened.text).toMatch(new RegExp(`<article[^>]* id="${last}"`))
})

test('one event reaches all 1,000 within 30 seconds, and takes less than 64 MB more', async () => {
  await fanOut(few, FEW)
  const before = memoryMb()
  const ms = await fanOut(many, MANY)
  expect(ms).toBeLessThan(30_000)
  expect(memoryMb() - before).toBeLessThan(64)
})

test('the 1,001st address is refused with a sentence, and none before it', async () => {
  expect(await addRule(few.browser, few.account, 21)).toMatchObject({ status: 201 })
  const { status, body } = await addRule(many.browser, many.account, MANY)
  expect([status, (body as { message: string }).message]).toEqual([
    409,
    'This installation stops at 1,000 addresses for one account. Delete one you no longer need, or ask its operator for more.',
  ])
})
