// The sandbox's ServiceM8 on its own port, with two accounts, for tests of sign-in and tokens. It can fail at every
// step and counts its calls.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { createSandbox } from '#sandbox/sandbox.server.ts'
import type { FaultEffect, World } from '#sandbox/world.ts'
import { QUIET } from './test-app.server.ts'

export const APP_ID = 'app-1'
export const APP_SECRET = 'the-secret-of-the-add-on-in-a-test'

export interface PlatformAccount {
  uuid: string
  name: string
  timezone: string
}

export const BRISBANE: PlatformAccount = {
  uuid: '11111111-1111-4111-8111-111111111111',
  name: 'Brisbane Plumbing',
  timezone: 'Australia/Brisbane',
}
export const LEEDS: PlatformAccount = {
  uuid: '22222222-2222-4222-8222-222222222222',
  name: 'Leeds Electrical',
  timezone: 'Europe/London',
}

/** `hang` never answers; `reset` cuts the connection; a number is that status. */
type Fault = 'hang' | 'reset' | number

export interface PlatformServer {
  /** Base URL of its calls, including OAuth. */
  url: string
  world: World
  counts: { exchanges: number; refreshes: number; vendorCalls: number }
  /** Makes this step fail from now on. */
  breaks(step: 'token' | 'vendor', fault: Fault): void
  /** Whether a step hangs: then callers can use a short timeout. */
  hangs(step: 'token' | 'vendor'): boolean
  /** Runs before a vendor call is answered. */
  onVendor: (accessToken: string) => Promise<void> | void
  /** Plays the person on the consent page: takes the authorize address, returns the callback address. */
  consent(authorizeUrl: string, account: PlatformAccount): Promise<string>
  /** Issues tokens like an exchange. */
  issue(account: PlatformAccount): { accessToken: string; refreshToken: string }
  /** These access tokens get 401 from now on. */
  expireAccessTokens(): void
  /** The account removes the add-on: its tokens are dead. */
  revoke(account: PlatformAccount): void
  close(): Promise<void>
}

const PATHS = { token: '/oauth/access_token', vendor: '/api_1.0/vendor.json' }
const SCOPE = 'vendor read_jobs'

/** @param origin of the add-on: the only allowed redirect target */
export async function startPlatform({
  clock = fixedClock(),
  origin = 'https://fieldhook.test',
}: {
  clock?: FixedClock
  origin?: string
} = {}): Promise<PlatformServer> {
  const start = clock.now()
  const sandbox = createSandbox({
    clock: { ...clock, offset: () => clock.now() - start },
    origin,
    appId: APP_ID,
    appSecret: APP_SECRET,
    stateFile: null,
    log: QUIET,
    seed: [BRISBANE, LEEDS].map(({ uuid, name, timezone }) => ({
      vendor: { uuid, name, timezone_name: timezone, currency: 'AUD', email: 'office@example.test' },
      records: {},
    })),
  })
  const { world } = sandbox
  const server = createServer(async (req, res) => {
    if (req.url?.endsWith(PATHS.token)) {
      // The sandbox reads the same bytes: its listener is attached before the first of them arrives.
      let form = ''
      req.on('data', (bytes: Buffer) => {
        form += bytes
      })
      req.on('end', () => {
        platform.counts[form.includes('grant_type=refresh_token') ? 'refreshes' : 'exchanges'] += 1
      })
    }
    if (req.url?.endsWith(PATHS.vendor)) {
      platform.counts.vendorCalls += 1
      await platform.onVendor((req.headers.authorization ?? '').replace('Bearer ', ''))
    }
    sandbox.handle(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sandbox/servicem8`

  const platform: PlatformServer = {
    url,
    world,
    counts: { exchanges: 0, refreshes: 0, vendorCalls: 0 },
    breaks: (step, fault) =>
      void world.addFault({ path: PATHS[step], effect: effectOf(fault), times: Number.POSITIVE_INFINITY }),
    hangs: (step) => world.faults().some(({ path, effect }) => path === PATHS[step] && effect.kind === 'hang'),
    onVendor: () => undefined,
    async consent(authorizeUrl, account) {
      const page = await (await fetch(authorizeUrl)).text()
      const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
      const body = new URLSearchParams({ ticket, account: account.uuid, decision: 'accept' })
      const agreed = await fetch(`${url}/oauth/authorize`, { method: 'POST', body, redirect: 'manual' })
      return agreed.headers.get('location') ?? ''
    },
    issue({ uuid }) {
      const tokens = world.grant(uuid, SCOPE)
      return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
    },
    expireAccessTokens() {
      for (const { uuid } of [BRISBANE, LEEDS]) world.expireAccessTokens(uuid)
    },
    revoke: ({ uuid }) => world.removeAddon(uuid),
    async close() {
      await sandbox.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return platform
}

function effectOf(fault: Fault): FaultEffect {
  if (fault === 'hang') return { kind: 'hang' }
  return fault === 'reset' ? { kind: 'drop' } : { kind: 'status', status: fault }
}
