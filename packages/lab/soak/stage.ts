// The soak's setup: a server with many accounts, healthy addresses of four kinds, and hostile ones.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { seedDatabase } from '../bench/seed.ts'
import type { Random } from '../report/arguments.ts'
import type { Target } from '../stage/load.ts'
import { type ProofServer, proofServer } from '../stage/server.ts'
import { type SoakReceiver, soakReceiver } from './receiver.ts'
import type { AbuseCounts, AbuseMessage, AbuseOrder } from './wire.ts'

/** `steady` is left alone; `restarting` goes away and comes back; the owner pauses or replays the others' webhooks. */
export const ROLES = ['steady', 'paused', 'replayed', 'restarting'] as const
export type Role = (typeof ROLES)[number]

/** Accounts with one healthy address each, besides the two demo firms with one of each role and one more. */
const STEADY_ACCOUNTS = 10
const FIRM_ROLES: readonly Role[] = ['steady', 'paused', 'replayed', 'restarting', 'steady']
/** Old space, MB: as in the soak's design. */
const HEAP_MB = 192
const PRELOAD = resolve('packages/lab/soak/preload.mjs')

export interface OwnWebhook {
  id: number
  role: Role
}

export interface SoakStage {
  server: ProofServer
  /** Options for every start of the server in this proof. */
  launch: { preload: string; flags: string[] }
  receivers: Record<Role, SoakReceiver>
  healthy: Target[]
  hostile: Target[]
  browser: ScriptlessBrowser
  /** The two demo firms. */
  accounts: string[]
  webhooks: OwnWebhook[]
  abuse: { begin(order: { seed: number; slow: number }): void; tell(): Promise<AbuseCounts>; end(): Promise<void> }
  close(): Promise<void>
}

/** @param abuseProgram path of packages/lab/soak/abuse.ts, bundled */
export async function soakStage(abuseProgram: string, random: Random): Promise<SoakStage> {
  const child = fork(abuseProgram, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const hostile = await nextMessage(child, (message) => (message.at === 'listening' ? message : null))
  const receivers = Object.fromEntries(
    await Promise.all(ROLES.map(async (role) => [role, await soakReceiver(random)] as const)),
  ) as Record<Role, SoakReceiver>
  const encKeys = `soak:${randomBytes(32).toString('base64')}`
  const allow = [...ROLES.map((role) => receivers[role].hostAndPort), ...hostile.hostPorts]
  const server = await proofServer({
    env: { ENC_KEYS: encKeys, EGRESS_ALLOW: allow.join(','), REQUESTS_PER_MINUTE: '100000' },
  })
  const end = async () => {
    await server.dispose()
    child.kill('SIGKILL')
    await Promise.all(ROLES.map((role) => receivers[role].close()))
  }
  try {
    const urls = [...Array.from({ length: STEADY_ACCOUNTS }, () => receivers.steady.url), ...hostile.urls]
    const { tokens } = await seedDatabase({ file: server.databaseFile, encKeys, urls, active: true })
    const seeded = tokens.map((token) => ({
      object: 'job',
      forwardingUrl: `${server.origin}/hooks/platform/${token}`,
    }))
    const launch = { preload: PRELOAD, flags: [`--max-old-space-size=${HEAP_MB}`, '--expose-gc'] }
    const how = await server.launch(launch)
    if (how !== 'listening') throw new Error(`the server ended while starting:\n${server.output()}`)
    await server.ready()
    const browser = scriptlessBrowser(server.origin)
    const firms = await openFirms(browser, receivers)
    return {
      server,
      launch,
      receivers,
      healthy: [...seeded.slice(0, STEADY_ACCOUNTS), ...firms.targets],
      hostile: seeded.slice(STEADY_ACCOUNTS),
      browser,
      accounts: firms.accounts,
      webhooks: firms.webhooks,
      abuse: {
        begin: ({ seed, slow }) => {
          const order: AbuseOrder = {
            do: 'begin',
            port: Number(new URL(server.origin).port),
            token: tokens[0] ?? '',
            seed,
            slow,
          }
          child.send(order)
        },
        tell() {
          const told = nextMessage(child, (message) => (message.at === 'told' ? message.counts : null))
          child.send({ do: 'tell' })
          return told
        },
        async end() {
          if (child.exitCode !== null || child.signalCode !== null) return
          const ended = new Promise((done) => child.once('exit', done))
          child.kill('SIGKILL')
          await ended
        },
      },
      close: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Signs in both demo firms over HTTP and creates a webhook of each role for both. */
async function openFirms(browser: ScriptlessBrowser, receivers: Record<Role, SoakReceiver>) {
  const stage = await browser.get('/sandbox')
  const links = stage.text.matchAll(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/g)
  const accounts = [...new Set([...links].map(([, id]) => id ?? ''))]
  const objects = OBJECT_KINDS.filter((kind) => kind.delivery === 'subscribed').map((kind) => kind.type)
  const targets: Target[] = []
  const webhooks: OwnWebhook[] = []
  for (const accountUUID of accounts) {
    const back = await signIn(browser, accountUUID)
    if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
    for (const [index, role] of FIRM_ROLES.entries()) {
      const object = objects[index] ?? ''
      const body = { accountUUID, object, callback_url: receivers[role].url, fields: '', active: true }
      const made = await browser.json('POST', '/api/webhooks', body)
      if (made.status !== 201) throw new Error(`no webhook for ${object}: ${made.status} ${JSON.stringify(made.body)}`)
      const { id, forwardingUrl } = made.body as { id: number; forwardingUrl: string }
      targets.push({ object, forwardingUrl })
      webhooks.push({ id, role })
    }
  }
  return { accounts, targets, webhooks }
}

function nextMessage<Taken>(child: ChildProcess, wanted: (message: AbuseMessage) => Taken | null): Promise<Taken> {
  return new Promise((done, fail) => {
    const onMessage = (message: unknown) => {
      const taken = wanted(message as AbuseMessage)
      if (taken === null) return
      child.off('message', onMessage)
      child.off('exit', onExit)
      done(taken)
    }
    const onExit = (code: number | null) => fail(new Error(`the process of the abuse ended with ${code}`))
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
}
