// The process beside the siege that runs every attack of a stranger and a hostile tenant, and counts the results.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seededRandom } from '../report/arguments.ts'
import { type Attack, attacksOn } from './attacks.ts'
import type { AttackCounts, AttackMessage, SiegeOrder } from './wire.ts'

const TICK_MS = 10

const going = new Map<string, AttackCounts>()
const timers = new Set<NodeJS.Timeout>()

// The hostile tenant's own address: accepts everything and never answers.
const silent = createServer((req) => req.resume())
silent.listen(0, '127.0.0.1', () =>
  tell({ at: 'listening', hostAndPort: `127.0.0.1:${(silent.address() as AddressInfo).port}` }),
)

process.on('disconnect', () => process.exit())
process.on('message', (order: SiegeOrder | { do: 'tell' | 'end' }) => {
  switch (order.do) {
    case 'begin':
      return begin(order)
    case 'tell':
      return tell({ at: 'told', counts: [...going.values()] })
    case 'end':
      for (const timer of timers) clearTimeout(timer)
      return tell({ at: 'ended' })
  }
})

function begin({ field, rampMs, pace, only, seed }: SiegeOrder): void {
  const wanted = attacksOn(field, seededRandom(seed)).filter(
    ({ name }) => only.length === 0 || only.some((beginning) => name.startsWith(beginning)),
  )
  for (const [n, attack] of wanted.entries()) timers.add(setTimeout(() => keepUp(attack, pace), n * rampMs))
}

/** Sends at the attack's rate, whatever the results; calls above its parallel limit are skipped. */
function keepUp(attack: Attack, pace: number): void {
  const counts: AttackCounts = { name: attack.name, sent: 0, skipped: 0, answers: {}, breaches: [] }
  going.set(attack.name, counts)
  tell({ at: 'began', name: attack.name, when: Date.now() })
  let underWay = 0
  let due = 1
  let last = performance.now()
  const began = last
  const send = async () => {
    underWay++
    counts.sent++
    const said = await attack.act().catch((error: unknown) => `failed here: ${String(error)}`)
    underWay--
    const breach = said.startsWith('!') ? said.slice(1) : null
    if (breach !== null && !counts.breaches.includes(breach)) counts.breaches.push(breach)
    const kind = breach ?? said
    counts.answers[kind] = (counts.answers[kind] ?? 0) + 1
  }
  timers.add(
    setInterval(() => {
      const now = performance.now()
      const { wave } = attack
      const rests = wave !== undefined && ((now - began) / 1000) % wave.every > wave.lasts
      if (!rests) due += ((now - last) / 1000) * attack.perSecond * pace
      last = now
      for (; due >= 1; due--) {
        if (underWay < attack.most) void send()
        else counts.skipped++
      }
    }, TICK_MS),
  )
}

function tell(message: AttackMessage): void {
  process.send?.(message)
}
