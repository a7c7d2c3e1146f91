// The siege's setup: the built product as its image starts it, behind a proxy that names callers; a platform, twenty
// ordinary accounts with an address each, and the hostile tenant, whose address never answers.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setPriority } from 'node:os'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { seededRandom } from '../report/arguments.ts'
import type { Target } from '../stage/load.ts'
import { type ProofReceiver, proofReceiver } from '../stage/receiver.ts'
import { type Checkout, type ProofServer, proofServer } from '../stage/server.ts'
import type { AttackCounts, AttackMessage, PlatformMessage, PlatformOrder, SiegeField, SiegeOrder } from './wire.ts'

const ORDINARY = 20
/** A `nice` value. */
const ATTACKERS_STEP_BACK = 19

export interface SiegePrograms {
  /** Paths of the bundled packages/lab/siege/platform.ts and siege-attack.ts. */
  platform: string
  attack: string
}

export interface Person {
  account: string
  browser: ScriptlessBrowser
}

export interface SiegeStage {
  server: ProofServer
  receiver: ProofReceiver
  targets: Target[]
  people: Person[]
  field: SiegeField
  /** Attacks in starting order; `when` as in `Date.now()`. */
  began: { name: string; when: number }[]
  attack(order: Pick<SiegeOrder, 'rampMs' | 'pace' | 'only' | 'seed'>): void
  counts(): Promise<AttackCounts[]>
  endAttack(): Promise<void>
  close(): Promise<void>
}

export async function siegeStage(programs: SiegePrograms, seed: number, checkout?: Checkout): Promise<SiegeStage> {
  const attacker = fork(programs.attack, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const platform = fork(programs.platform, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  // Real attackers have their own machines: here they get low priority when processors are scarce.
  for (const { pid } of [attacker, platform]) if (pid !== undefined) setPriority(pid, ATTACKERS_STEP_BACK)
  const receiver = await proofReceiver(seededRandom(seed))
  const appSecret = randomBytes(32).toString('base64url')
  const began: SiegeStage['began'] = []
  attacker.on('message', (message: AttackMessage) => {
    if (message.at === 'began') began.push({ name: message.name, when: message.when })
  })
  const hostileAddress = await answerOf<AttackMessage, string>(attacker, (message) =>
    message.at === 'listening' ? message.hostAndPort : null,
  )
  const server = await proofServer({
    env: {
      SESSION_SECRET: randomBytes(32).toString('base64'),
      ENC_KEYS: `siege:${randomBytes(32).toString('base64')}`,
      METRICS_TOKEN: randomBytes(32).toString('hex'),
      EGRESS_ALLOW: `${receiver.hostAndPort},${hostileAddress}`,
      TRUST_PROXY: 'fly',
      LOG_LEVEL: 'error',
    },
    ...(checkout && { checkout }),
  })
  const close = async () => {
    attacker.kill('SIGKILL')
    await server.dispose()
    platform.kill('SIGKILL')
    await receiver.close()
  }
  try {
    const accounts = Array.from({ length: ORDINARY + 1 }, (_, n) => ({
      uuid: `0000be51-0000-4000-8000-${String(n).padStart(12, '0')}`,
      name: n === 0 ? 'Hostile' : `Ordinary ${n}`,
    }))
    const [hostile, ...ordinary] = accounts.map(({ uuid }) => uuid) as [string, ...string[]]
    const order: PlatformOrder = { origin: server.origin, appId: 'siege', appSecret, accounts, hostile }
    platform.send(order)
    const platformPort = await answerOf<PlatformMessage, number>(platform, (message) => message.port)
    const platformUrl = `http://localhost:${platformPort}/sandbox/servicem8`
    const how = await server.launch({
      env: {
        APP_ORIGIN: server.origin,
        PLATFORM: 'servicem8',
        SERVICEM8_APP_ID: 'siege',
        SERVICEM8_APP_SECRET: appSecret,
        SERVICEM8_API_URL: platformUrl,
        SERVICEM8_OAUTH_URL: platformUrl,
      },
    })
    if (how !== 'listening') throw new Error(`the server ended while starting:\n${server.output()}`)
    await server.ready()

    const people: Person[] = []
    const targets: Target[] = []
    for (const [n, account] of ordinary.entries()) {
      const browser = scriptlessBrowser(server.origin, { 'fly-client-ip': `192.0.2.${n + 1}` })
      people.push({ account, browser })
      targets.push({ object: 'job', forwardingUrl: await connect({ account, browser }, receiver.url) })
    }
    const browser = scriptlessBrowser(server.origin, { 'fly-client-ip': '198.51.100.7' })
    const ownAddress = await connect({ account: hostile, browser }, `http://${hostileAddress}/in`)
    const field: SiegeField = {
      port: Number(new URL(server.origin).port),
      platformPort,
      account: hostile,
      cookie: browser.cookie(),
      token: new URL(ownAddress).pathname.split('/').at(-1) ?? '',
      victim: ordinary[0] ?? '',
    }
    return {
      server,
      receiver,
      targets,
      people,
      field,
      began,
      attack(request) {
        const begin: SiegeOrder = { do: 'begin', field, ...request }
        attacker.send(begin)
      },
      counts() {
        attacker.send({ do: 'tell' })
        return answerOf<AttackMessage, AttackCounts[]>(attacker, (message) =>
          message.at === 'told' ? message.counts : null,
        )
      },
      async endAttack() {
        attacker.send({ do: 'end' })
        await answerOf<AttackMessage, true>(attacker, (message) => (message.at === 'ended' ? true : null))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Signs in like a person and creates a webhook; returns our address for its events. */
async function connect({ account, browser }: Person, url: string): Promise<string> {
  const back = await signIn(browser, account)
  if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
  const made = await browser.json('POST', '/api/webhooks', {
    accountUUID: account,
    object: 'job',
    callback_url: url,
    fields: '',
    active: true,
  })
  if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${JSON.stringify(made.body)}`)
  return (made.body as { forwardingUrl: string }).forwardingUrl
}

function answerOf<Message, Taken>(child: ChildProcess, wanted: (message: Message) => Taken | null): Promise<Taken> {
  return new Promise((done, fail) => {
    const onMessage = (message: unknown) => {
      const taken = wanted(message as Message)
      if (taken === null) return
      child.off('message', onMessage)
      child.off('exit', onExit)
      done(taken)
    }
    const onExit = (code: number | null) => fail(new Error(`a process beside the siege ended with ${code}`))
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
}
