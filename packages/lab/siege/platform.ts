// The siege's platform, in a separate process, so that its memory is not the product's: the sandbox with the requested
// number of accounts, one of them with far too many and far too long records.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox } from '#sandbox/sandbox.server.ts'
import type { SeedAccount } from '#sandbox/world.ts'
import type { PlatformMessage, PlatformOrder } from './wire.ts'

const RECORDS = 5_000
const RECORD_BYTES = 6_000
const TEMPLATES = 3
const TEMPLATE_BYTES = 120_000

const none = () => undefined
const QUIET: Log = { debug: none, info: none, warn: none, error: none, child: () => QUIET }

process.on('disconnect', () => process.exit())
process.once('message', (order: PlatformOrder) => {
  const sandbox = createSandbox({
    clock: movableClock(),
    // People are redirected to the product, and the product's addresses are called.
    origin: order.origin,
    appId: order.appId,
    appSecret: order.appSecret,
    stateFile: null,
    log: QUIET,
    seed: order.accounts.map((account) => seedOf(account, account.uuid === order.hostile)),
  })
  const server = createServer((req, res) => {
    if (sandbox.handle(req, res)) return
    if (req.url !== '/opening') return void res.writeHead(404).end()
    sandbox.world.signOpening(order.hostile).then(
      ({ jwt }) => res.end(jwt),
      (error: unknown) => res.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1', () => {
    const message: PlatformMessage = { at: 'listening', port: (server.address() as AddressInfo).port }
    process.send?.(message)
  })
})

function seedOf({ uuid, name }: { uuid: string; name: string }, hostile: boolean): SeedAccount {
  const staff = [{ uuid: randomUUID(), active: 1, first: 'Alex', last: 'Smith' }]
  const vendor = { uuid, name, timezone_name: 'Europe/London', currency: 'GBP', active: 1 }
  if (!hostile) return { vendor, records: { staff } }
  const text = 'A boiler that drips. '.repeat(Math.ceil(RECORD_BYTES / 21)).slice(0, RECORD_BYTES)
  const job = Array.from({ length: RECORDS }, (_, n) => ({
    uuid: randomUUID(),
    active: 1,
    status: 'Work Order',
    job_description: `${n} ${text}`,
  }))
  const emailtemplate = Array.from({ length: TEMPLATES }, (_, n) => ({
    uuid: randomUUID(),
    active: 1,
    name: `Template ${n}`,
    subject: 'x',
    message: '<'.repeat(TEMPLATE_BYTES),
  }))
  return { vendor, records: { staff, job, emailtemplate } }
}
