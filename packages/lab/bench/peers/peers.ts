// `npm run bench:peers`: Fieldhook, n8n and Node-RED do the same job in the same run: receive an event over HTTP, keep
// it, forward it, retry. The other two do much more than this; nothing here measures that.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandLine, recordFigures } from '../../report/figures.ts'
import { describeMachine } from '../../report/machine.server.ts'
import { machineMs, ownMs } from '../../report/processor-time.ts'
import { killAll } from '../processes.ts'
import { fieldhookPeer } from './fieldhook.ts'
import { COLUMNS, figuresOf, ownOf, type PeerFindings, type PeerResult, tableRows } from './figures.ts'
import { n8nPeer } from './n8n.ts'
import { nodeRedPeer } from './node-red.ts'
import type { Peer } from './peer.ts'
import { ADDRESSES, bringOn, killOnce, type OnStage, outageOf, roundOf, type TrialSettings } from './trials.ts'

const NAMES = ['fieldhook', 'node-red', 'n8n'] as const
type Name = (typeof NAMES)[number]

/** As scripts/peer-packages.mjs reports it. */
type Installed = { outcome: 'installed'; folder: string; version: string } | { outcome: 'could_not'; sentence: string }

export interface PeersInput {
  /** Paths of the bundled programs. */
  programs: { load: string; receivers: string }
  serveMain: string
  /** Installs a peer, or returns why it cannot be installed. */
  install(name: 'n8n' | 'node-red'): Promise<Installed>
}

export interface Settings extends TrialSettings {
  only: Name[]
  rounds: number
  quick: boolean
}

const USAGE = `Usage: npm run bench:peers -- [--quick] [--only fieldhook,node-red,n8n] [--seconds 10] [--rate 50] [--record]
  --quick    one short round, one kill, an outage of ten seconds: shows that it works, not how fast it is
  --only     some of them; Fieldhook is always among them, because the others stand beside it
  --seconds  of each measurement
  --rate     events a second of the steady stream
  --record   keeps the figures in docs/proof/peers.json`

/** Of all cores; above this share used by others, the speeds mostly measure them. */
const DISTURBED = 0.25
const LEFT_OUT =
  'Other programs kept the machine busy during this run, so speeds are left out; what was lost, what arrived and memory stand.'

class UsageError extends Error {
  readonly code = 'usage'
}

/** Exported for its test. */
export function readSettings(args: readonly string[]): Settings {
  let [quick, seconds, perSecond] = [false, 0, 50]
  let only: Name[] = [...NAMES]
  const rest = [...args]
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--quick') quick = true
    else if (name === '--seconds') seconds = readNumber(name, rest.shift())
    else if (name === '--rate') perSecond = readNumber(name, rest.shift())
    else if (name === '--only') only = readNames(rest.shift())
    else throw new UsageError(`"${name}" is not an option.`)
  }
  return {
    quick,
    only,
    perSecond,
    seconds: seconds || (quick ? 3 : 10),
    warmUpSeconds: quick ? 1 : 5,
    rounds: quick ? 1 : 3,
    kills: quick ? 1 : 2,
    downSeconds: quick ? 10 : 60,
    waitSeconds: quick ? 60 : 300,
  }
}

function readNumber(name: string, text: string | undefined): number {
  const number = Number(text)
  if (!text || !Number.isInteger(number) || number < 1) throw new UsageError(`${name} wants a whole number from 1.`)
  return number
}

function readNames(text = ''): Name[] {
  const asked = text.split(',').map((one) => {
    const name = NAMES.find((known) => known === one.trim().toLowerCase())
    if (!name) throw new UsageError(`"${one}" is none of ${NAMES.join(', ')}.`)
    return name
  })
  return NAMES.filter((name) => name === 'fieldhook' || asked.includes(name))
}

/** Returns the exit code: 0 whatever the figures, 1 when it could not run. */
export async function benchPeers(input: PeersInput, args: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-peers-'))
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code))
  process.once('exit', () => {
    killAll()
    rmSync(folder, { recursive: true, force: true })
  })
  try {
    await compare(input, readSettings(args), folder, args)
    return 0
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error)
    return 1
  }
}

/** The share of all cores used by other programs since this one started; null where the system has no figure. */
function othersShare(): number | null {
  const [machine, own] = [machineMs(), ownMs()]
  if (machine === null || own === null || begun.machine === null || begun.own === null) return null
  const others = machine - begun.machine - (own - begun.own)
  return Math.max(0, others / ((performance.now() - begun.at) * cpus().length))
}

const begun = { at: performance.now(), machine: machineMs(), own: ownMs() }

async function compare(input: PeersInput, settings: Settings, folder: string, args: string[]): Promise<void> {
  console.log(`The same job on ${settings.only.length} programs\n${describeMachine()}`)
  console.log('Programs, load and receivers are processes of this machine and share its cores.')
  const results: PeerResult[] = []
  const stages: OnStage[] = []
  try {
    for (const wanted of await peersOf(input, settings.only)) {
      if ('sentence' in wanted) {
        console.log(`${wanted.name} ${wanted.sentence}`)
        results.push({ outcome: 'could_not', ...wanted })
        continue
      }
      console.log(`Starting ${wanted.name} ${wanted.version} …`)
      try {
        stages.push(await bringOn(wanted, input.programs, join(folder, String(stages.length))))
      } catch (error) {
        const sentence = `could not be started: ${error instanceof Error ? error.message : String(error)}`
        console.log(`${wanted.name} ${sentence}`)
        results.push({ outcome: 'could_not', name: wanted.name, sentence })
      }
    }
    await runTrials(stages, settings)
  } finally {
    for (const stage of stages) await stage.leave()
  }
  results.unshift(...stages.map(({ found }): PeerResult => ({ outcome: 'measured', ...found })))
  print(results, settings)
  const own = ownOf(results)
  const faults = own ? faultsOf(own) : ['Fieldhook was not measured.']
  const others = othersShare()
  const speeds = others === null || others <= DISTURBED
  if (others !== null) console.log(`Other programs took ${Math.round(others * 100)} % of the machine meanwhile.`)
  if (!speeds) console.log('That is too much for speeds: repeat it on a quiet machine. Only the rest is recorded.')
  for (const fault of faults) console.log(`FAULT: ${fault}`)
  recordFigures('peers', {
    command: commandLine('bench:peers', { [args.join(' ').replace(/^--/, '')]: args.length > 0 }),
    figures: figuresOf(results, { speeds }),
    faults,
    notes: [...(speeds ? [] : [LEFT_OUT]), ...notesOf(results, settings)],
  })
}

/** Only Fieldhook itself has requirements. Exported for its test. */
export function faultsOf(own: PeerFindings): string[] {
  const faults: string[] = []
  const lostInRounds = own.rounds.reduce((sum, { counted }) => sum + counted.lost, 0)
  const lostInKills = own.kills.reduce((sum, { counted }) => sum + counted.lost, 0)
  if (lostInRounds > 0) faults.push(`Fieldhook lost ${lostInRounds} acknowledged events without trouble.`)
  if (lostInKills > 0) faults.push(`Fieldhook lost ${lostInKills} acknowledged events under kill -9.`)
  if (own.outage && own.outage.counted.lost > 0) {
    faults.push(
      `${own.outage.counted.lost} events did not come after the receiver was back, within the time that was waited.`,
    )
  }
  return faults
}

type Wanted = Peer | { name: string; sentence: string }

async function peersOf({ install, serveMain }: PeersInput, only: readonly Name[]): Promise<Wanted[]> {
  const wanted: Wanted[] = [fieldhookPeer({ version: ownVersion(), serveMain })]
  if (only.includes('node-red')) {
    const got = await install('node-red')
    if (got.outcome === 'could_not') wanted.push({ name: 'Node-RED', sentence: got.sentence })
    else for (const keeping of ['memory', 'file'] as const) wanted.push(nodeRedPeer({ ...got, keeping }))
  }
  if (only.includes('n8n')) {
    const got = await install('n8n')
    if (got.outcome === 'could_not') wanted.push({ name: 'n8n', sentence: got.sentence })
    else {
      wanted.push(n8nPeer({ ...got, running: { kind: 'free' } }))
      wanted.push(n8nPeer({ ...got, running: { kind: 'queued', atOnce: 20 } }))
    }
  }
  return wanted
}

function ownVersion(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version
}

async function runTrials(stages: OnStage[], settings: Settings): Promise<void> {
  const { rounds, kills, seconds, perSecond, downSeconds } = settings
  console.log(
    `\nSpeed: ${rounds} rounds, ${seconds} s as fast as it goes and ${seconds} s with ${perSecond} events/s, in turn`,
  )
  for (let round = 0; round < rounds; round++) {
    for (const stage of inTurn(stages, round)) {
      await roundOf(stage, settings)
      const last = stage.found.rounds.at(-1)
      console.log(
        `  ${stage.peer.name.padEnd(26)}${last?.throughPerSecond.toFixed(0).padStart(6)} events/s   acknowledged p99 ` +
          `${last?.steady.answerMs.p99.toFixed(1)} ms   at the receiver p99 ${last?.steady.delayMs.p99.toFixed(1)} ms   ` +
          `lost ${last?.counted.lost}, twice ${last?.counted.doubled}   load ${loads()}`,
      )
    }
  }
  for (const receiver of ['well', 'down'] as const) {
    const how = receiver === 'well' ? '' : ', the receiver down until after the kill'
    console.log(`\nkill -9 with ${perSecond} events/s coming in${how}, ${kills} times each`)
    for (let kill = 0; kill < kills; kill++) {
      for (const stage of inTurn(stages, kill)) {
        await killOnce(stage, settings, receiver)
        const last = stage.found.kills.at(-1)
        const { acknowledged, lost, doubled } = last?.counted ?? { acknowledged: 0, lost: 0, doubled: 0 }
        console.log(
          `  ${stage.peer.name.padEnd(26)}${acknowledged} acknowledged, ${lost} never forwarded, ${doubled} twice; ready again ` +
            `after ${((last?.restartMs ?? 0) / 1_000).toFixed(1)} s`,
        )
      }
    }
  }
  console.log(`\nReceiver down for ${downSeconds} s with ${perSecond} events/s coming in, for each at the same time`)
  await Promise.all(stages.map((stage) => outageOf(stage, settings)))
}

/** Each round starts with another item. */
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const from = items.length === 0 ? 0 : round % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}

function print(results: readonly PeerResult[], { perSecond }: Settings): void {
  console.log(`\nMedians of the rounds; delays with ${perSecond} events/s`)
  const rows = tableRows(results)
  for (const { name, cells } of rows) {
    console.log(`\n${name}`)
    for (const [at, cell] of cells.entries()) {
      console.log(`  ${(cells.length === 1 ? '' : (COLUMNS[at] ?? '')).padEnd(40)}${cell}`)
    }
  }
  for (const result of results) {
    if (result.outcome !== 'measured') continue
    console.log(`\nHow ${result.name} ${result.version} was set up`)
    for (const setting of result.settings) console.log(`  ${setting}`)
  }
  console.log(`\nload average at the end: ${loads()}`)
}

/** Notes that a reader of the page needs. */
function notesOf(results: readonly PeerResult[], settings: Settings): string[] {
  return [
    `${ADDRESSES} receiver addresses on loopback; at most 64 events between load and receivers while speed is measured; ${settings.perSecond} events/s otherwise. All programs run at the same time and are loaded in turn; ratios are of the same round.`,
    'n8n and Node-RED do very much more than this one job: hundreds of services to connect, flows that are drawn instead of written, and a community that builds more. Whoever needs that is better served there. Fieldhook does this one job for ServiceM8.',
    ...results.flatMap((result) =>
      result.outcome === 'measured' ? [`${result.name} ${result.version}: ${result.settings.join(' ')}`] : [],
    ),
  ]
}

function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')
}
