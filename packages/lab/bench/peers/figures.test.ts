// The comparison's own arithmetic and the settings it gives to others: nothing of theirs may call out.
import { describe, expect, it } from 'vitest'
import { nodeDemand, sentenceOfNpm } from '../../../../scripts/peer-packages.mjs'
import { numberOf, requestFor, templateFor } from '../wire.ts'
import {
  countArrivals,
  figuresOf,
  type Outage,
  ofAll,
  outageWords,
  type PeerFindings,
  type PeerResult,
  type Round,
  ratioBeside,
  tableRows,
  throughOf,
} from './figures.ts'
import { treeOf } from './memory.ts'
import { environmentOf, workflowOf } from './n8n.ts'
import { flowOf } from './node-red.ts'
import { faultsOf, readSettings } from './peers.ts'

const SPREAD = { p50: 1, p99: 9.96, max: 20 }
const round = (throughPerSecond: number, lost = 0): Round => ({
  throughPerSecond,
  steady: { perSecond: 50, answerMs: SPREAD, delayMs: SPREAD },
  counted: { acknowledged: 100, lost, doubled: 0 },
})
const outage = (lost: number): Outage => ({
  downSeconds: 60,
  counted: { acknowledged: 10, lost, doubled: 1 },
  arrived: [
    [1, 2],
    [7, 10 - lost],
  ],
})
const peer = (name: string, more: Partial<PeerFindings> = {}): PeerResult => ({
  outcome: 'measured',
  name,
  version: '1.0.0',
  settings: ['As it comes.'],
  rounds: [round(200), round(100), round(300)],
  memory: [90.2, 100.4],
  processes: 1,
  kills: [
    { receiver: 'well', counted: { acknowledged: 50, lost: 0, doubled: 2 }, restartMs: 1_040 },
    { receiver: 'down', counted: { acknowledged: 50, lost: 50, doubled: 0 }, restartMs: 1_040 },
  ],
  outage: outage(0),
  ...more,
})

describe('counting', () => {
  it('finds what was lost and what came twice, by number', () => {
    expect(countArrivals([1, 2, 3, 3], [2, 2, 2, 9])).toEqual({ acknowledged: 3, lost: 2, doubled: 2 })
    expect(countArrivals([], [])).toEqual({ acknowledged: 0, lost: 0, doubled: 0 })
  })

  it('reads the number that the load wrote into the event, whatever the address', () => {
    const template = templateFor('7', 80, '/in?account=')
    const request = requestFor(template, 0xabcd, 12.5)
    expect(request.toString('latin1')).toMatch(/^POST \/in\?account=7 HTTP/)
    expect(numberOf(request, 0)).toBe(0xabcd)
  })

  it('compares within a round and takes the middle one', () => {
    expect(ratioBeside([round(50), round(50), round(30)], [round(100), round(200)], throughOf)).toBe(0.5)
    expect(ratioBeside([], [round(1)], throughOf)).toBeNaN()
  })

  it('says when the last one came', () => {
    expect(outageWords(outage(0))).toBe('all 10, the last after 7 s, 1 twice')
    expect(outageWords(outage(4))).toBe('6 of 10, the last after 7 s, 1 twice')
    expect(outageWords({ ...outage(10), arrived: [] })).toBe('0 of 10, 1 twice')
    expect(ofAll(3, 3)).toBe('all 3')
  })

  it('finds every process of a program', () => {
    const parents = new Map([
      [11, 10],
      [12, 11],
      [13, 1],
    ])
    expect(treeOf(10, parents)).toEqual([10, 11, 12])
  })
})

describe('what is told', () => {
  const other = peer('Other', { rounds: [round(20), round(25), round(15)] })
  const absent: PeerResult = { outcome: 'could_not', name: 'n8n', sentence: 'could not be installed: no network' }

  it('has a row for everybody, also for who could not be measured', () => {
    const rows = tableRows([peer('Fieldhook'), other, absent])
    expect(rows.map(({ name }) => name)).toEqual(['Fieldhook 1.0.0', 'Other 1.0.0', 'n8n'])
    expect(rows[1]?.cells).toEqual([
      '20',
      '0.10',
      '1.0 ms / 10.0 ms',
      '1.0 ms / 10.0 ms',
      '100 MB',
      '0 / 2 of 50',
      '50 / 0 of 50',
      'all 10, the last after 7 s, 1 twice',
    ])
    expect(rows[2]?.cells).toEqual(['could not be installed: no network'])
  })

  it('keeps speeds to itself when others were at work', () => {
    const groups = (speeds: boolean) =>
      new Set(figuresOf([peer('Fieldhook'), other], { speeds }).map(({ group }) => group))
    const [quiet, busy] = [groups(true), groups(false)]
    expect([...busy].filter((group) => !quiet.has(group))).toEqual([])
    expect([...quiet].filter((group) => !busy.has(group))).toEqual([
      'All the way: in, kept, forwarded',
      'The same, beside Fieldhook in the same round (1 = as many)',
      'Steady load: acknowledged after, p99',
      'Steady load: at the receiver after, p50',
      'Steady load: at the receiver after, p99',
      'kill -9: ready again after',
    ])
  })

  it('calls it a fault when Fieldhook loses something', () => {
    const own = (more: Partial<PeerFindings>) => faultsOf(peer('Fieldhook', { kills: [], ...more }) as PeerFindings)
    expect(own({})).toEqual([])
    expect(own({ rounds: [round(1, 2)] })).toEqual(['Fieldhook lost 2 acknowledged events without trouble.'])
    expect(own({ outage: outage(3) })).toHaveLength(1)
    expect(faultsOf(peer('Fieldhook') as PeerFindings)).toEqual([
      'Fieldhook lost 50 acknowledged events under kill -9.',
    ])
  })
})

describe('how peers are set up', () => {
  const receivers = { urls: ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b'], hostsAndPorts: [] }

  it('n8n stays on loopback, calls nobody, and tries as often as it can', () => {
    const env = environmentOf({
      folder: '/f',
      port: 1,
      brokerPort: 2,
      launcherPort: 3,
      running: { kind: 'queued', atOnce: 9 },
    })
    expect(env).toMatchObject({
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      N8N_CONCURRENCY_PRODUCTION_LIMIT: '9',
    })
    const text = JSON.stringify(workflowOf({ receivers }))
    expect(text).toContain('"maxTries":5,"waitBetweenTries":5000')
    expect(text).toContain('127.0.0.1:2/b')
  })

  it('Node-RED answers at once, or after the event is on disk; every wire leads to a node', () => {
    for (const keeping of ['memory', 'file'] as const) {
      const nodes = flowOf({ receivers }, keeping)
      const ids = new Set(nodes.map(({ id }) => id))
      const wired = nodes.flatMap(({ wires }) => (Array.isArray(wires) ? wires.flat() : []))
      expect(wired.filter((id) => !ids.has(id))).toEqual([])
      expect(nodes.some(({ type }) => type === 'inject')).toBe(keeping === 'file')
    }
  })

  it('options are read, and Fieldhook is always among them', () => {
    expect(readSettings(['--only', 'n8n', '--seconds', '4'])).toMatchObject({
      only: ['fieldhook', 'n8n'],
      seconds: 4,
      rounds: 3,
    })
    expect(readSettings(['--quick'])).toMatchObject({ rounds: 1, kills: 1, downSeconds: 10 })
    expect(() => readSettings(['--only', 'zapier'])).toThrow('none of fieldhook')
    expect(() => readSettings(['--seconds', 'x'])).toThrow('whole number')
  })
})

describe('why a peer could not be installed', () => {
  it.each([
    [
      'npm error code ETARGET\nnpm error notarget No matching version found for n8n@9.9.9.\n',
      'the registry does not have n8n@9.9.9',
    ],
    [
      'npm error code ENOTFOUND\nnpm error network request to https://x failed',
      'the registry of npm could not be reached',
    ],
    ['npm error code ENOSPC', 'the disk is full'],
    ['npm error gyp: something is not found\nA complete log of this run', 'gyp: something is not found'],
  ])('is said in words', (output, words) => {
    expect(sentenceOfNpm(output, 1)).toBe(words)
  })

  it('knows a missing npm, and whose Node demand counts', () => {
    expect(sentenceOfNpm('', 127)).toContain('comes with Node.js')
    const warned = "npm warn EBADENGINE {\n  package: 'n8n@2.8.4',\n  required: { node: '>=24' },"
    expect(nodeDemand(warned, 'n8n@2.8.4')).toContain('(>=24)')
    expect(nodeDemand(warned.replace('n8n@', 'deep@'), 'n8n@2.8.4')).toBeNull()
  })
})
