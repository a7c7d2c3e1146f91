// The entry of the processes beside the proof: receivers, roads, the platform.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox, type Sandbox } from '#sandbox/sandbox.server.ts'
import { serveDuties } from './helper.ts'
import { openReceivers } from './receivers.ts'
import { layWire, type Mending, openProxy } from './roads.ts'

export interface PlatformOrder {
  /** The product's origin: the redirect target, and the host of allowed subscriptions. */
  origin: string
  appId: string
  appSecret: string
  accounts: readonly { uuid: string; name: string }[]
}

const none = () => undefined
const QUIET: Log = { debug: none, info: none, warn: none, error: none, child: () => QUIET }

function receivers() {
  let opened: Awaited<ReturnType<typeof openReceivers>> | null = null
  const open = () => opened ?? fail()
  return {
    async listen(count: number) {
      opened = await openReceivers(count)
      return opened.ports
    },
    hang: (indexes: number[]) => open().hang(indexes),
    parallel: () => open().parallel(),
    forget: () => open().forget(),
  }
}

function roads() {
  const wires: Awaited<ReturnType<typeof layWire>>[] = []
  let proxy: Awaited<ReturnType<typeof openProxy>> | null = null
  return {
    async lay(port: number, count: number) {
      while (wires.length < count) wires.push(await layWire(port))
      return wires.map((wire) => wire.port)
    },
    cut: (index: number) => wires[index]?.cut(),
    mend: (index: number, how: Mending) => wires[index]?.mend(how),
    async proxy(ports: number[]) {
      proxy = await openProxy(ports)
      return proxy.port
    },
    counts: () => proxy?.counts ?? fail(),
  }
}

function platform() {
  let sandbox: Sandbox | null = null
  let answerAfter = 0
  const world = () => sandbox?.world ?? fail()
  const renewals = (account: string) =>
    world()
      .connections(account)
      .reduce((sum, { refreshes }) => sum + refreshes, 0)
  /** Jobs that can still be completed, by account. */
  const open = new Map<string, string[]>()
  return {
    async open({ origin, appId, appSecret, accounts }: PlatformOrder) {
      const made = createSandbox({
        ...{ clock: movableClock(), origin, appId, appSecret, stateFile: null, log: QUIET },
        seed: accounts.map(({ uuid, name }) => ({
          vendor: { uuid, name, timezone_name: 'Europe/London', currency: 'GBP', active: 1 },
          records: { staff: [{ uuid: randomUUID(), active: 1, first: 'Alex', last: 'Smith' }] },
        })),
      })
      sandbox = made
      const server = createServer((req, res) => {
        setTimeout(() => {
          if (!made.handle(req, res)) res.writeHead(404).end()
        }, answerAfter)
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      return (server.address() as AddressInfo).port
    },
    /** Every answer takes this much longer. */
    answerAfter(ms: number): void {
      answerAfter = ms
    },
    /** Resolves with the renewals so far. */
    expireTokens(account: string): number {
      world().expireAccessTokens(account)
      return renewals(account)
    },
    renewals,
    addJobs(account: string, count: number): void {
      world().setOptions(account, { messagesPerMinute: 10_000, messagesPerDay: 100_000, perMinute: 10_000 })
      const made = Array.from({ length: count }, () => world().addJob(account, { status: 'Work Order' }))
      open.set(
        account,
        made.map((one) => (one.outcome === 'done' ? one.record.uuid : fail())),
      )
    },
    completeJob(account: string): void {
      world().setJobStatus(account, open.get(account)?.pop() ?? fail(), 'Completed')
    },
    /** Every text that customers got, each with its job in it. */
    texts: () =>
      world()
        .accounts()
        .flatMap(({ uuid }) => world().outbox(uuid))
        .flatMap((item) => (item.kind === 'sms' ? [item.message] : [])),
  }
}

function fail(): never {
  throw new Error('asked too early')
}

export type ReceiverDuties = ReturnType<typeof receivers>
export type RoadDuties = ReturnType<typeof roads>
export type PlatformDuties = ReturnType<typeof platform>

const ROLES: Record<string, () => Parameters<typeof serveDuties>[0]> = { receivers, roads, platform }
const role = ROLES[process.argv[2] ?? '']
if (role) serveDuties(role())
