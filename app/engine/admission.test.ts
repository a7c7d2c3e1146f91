import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'

/** A machine that can do so many calls in a tenth of a second, of which sending one takes as long as receiving one. */
function machine(perTenth: number, offered: (tenth: number) => number) {
  let [now, piled, taken, refused, busy] = [0, 0, 0, 0, 0]
  const timers: { at: number; run: () => void }[] = []
  const admission = createAdmission({
    now: () => now,
    later: (ms, run) => timers.push({ at: now + ms, run }),
    lagMs: () => (piled / perTenth) * 100,
    busy: () => busy,
  })
  let key = 0
  function call() {
    const turn = admission.admit(`${key++ % 7}`)
    if (turn === true) taken++
    else void turn.then((on) => (on ? taken++ : refused++))
  }
  return async (tenths: number) => {
    const seen: { taken: number; refused: number; sent: number; piled: number }[] = []
    for (let tenth = 0; tenth < tenths; tenth++) {
      const one = { taken: 0, refused: 0, sent: 0, piled: 0 }
      for (let step = 0; step < 10; step++) {
        now += 10
        for (const timer of timers.splice(0)) timer.at <= now ? timer.run() : timers.push(timer)
        for (let calls = 0; calls < offered(tenth) / 10; calls++) call()
        await Promise.resolve()
        const sent = Math.max(0, Math.min(piled + taken, perTenth / 10 - taken))
        piled += taken - sent
        busy = Math.min(1, (taken + sent) / (perTenth / 10))
        one.taken += taken
        one.refused += refused
        one.sent += sent
        ;[taken, refused] = [0, 0]
        admission.ended(sent)
        await Promise.resolve()
      }
      seen.push({ ...one, piled })
    }
    return seen
  }
}
const sum = (list: number[]) => list.reduce((all, one) => all + one, 0)

test('refuses nothing as long as the machine keeps up', async () => {
  const seen = await machine(200, () => 90)(600)
  expect(sum(seen.map(({ refused }) => refused))).toBe(0)
  expect(sum(seen.map(({ sent }) => sent))).toBeGreaterThan(90 * 595)
})

test('a short burst is taken in whole', async () => {
  const seen = await machine(200, (tenth) => (tenth < 5 ? 150 : 10))(100)
  expect(sum(seen.map(({ refused }) => refused))).toBe(0)
  expect(sum(seen.map(({ taken }) => taken))).toBe(5 * 150 + 95 * 10)
})

test.each([1.5, 2, 4])('offered %s times what it can do, it goes on sending and nothing piles up', async (times) => {
  const seen = await machine(200, () => 100 * times)(600)
  const later = seen.slice(100)
  expect(sum(later.map(({ sent }) => sent)) / later.length).toBeGreaterThanOrEqual(90)
  expect(Math.max(...later.map(({ piled }) => piled))).toBeLessThan(200 * 15)
  expect(sum(later.map(({ refused }) => refused))).toBeGreaterThan(0)
})

test('takes everything again soon after, and answers every call that waited', async () => {
  const run = machine(200, (tenth) => (tenth < 200 ? 400 : 50))
  const seen = await run(300)
  expect(sum(seen.slice(270).map(({ refused }) => refused))).toBe(0)
  expect(sum(seen.map(({ taken, refused }) => taken + refused))).toBe(200 * 400 + 100 * 50)
})

test('a process that has caught up leaves nobody waiting, though no delivery ends', async () => {
  let [now, busy, lag] = [0, 1, 5_000]
  const timers: (() => void)[] = []
  const { admit } = createAdmission({
    now: () => now,
    later: (_, run) => timers.push(run),
    lagMs: () => lag,
    busy: () => busy,
  })
  const answers: boolean[] = []
  const pass = async (ms: number) => {
    now += ms
    for (const run of timers.splice(0)) run()
    await Promise.resolve()
  }
  for (let calls = 0; calls < 128; calls++) {
    const turn = admit(`${calls}`)
    if (turn !== true) void turn.then((on) => answers.push(on))
    if (calls % 10 === 0) await pass(100)
  }
  ;[busy, lag] = [0, 0]
  for (let tenths = 0; tenths < 5; tenths++) await pass(100)
  expect(answers.length).toBeGreaterThan(100)
  expect(answers.every(Boolean)).toBe(true)
  await pass(100)
  expect(admit('next')).toBe(true)
})

test.each([
  ['idle, though receivers hang', 60_000, 0.3],
  ['busy, though nothing waits', 400, 1],
])('a process that is %s takes everything', (_, lag, busy) => {
  let now = 0
  const { admit } = createAdmission({ now: () => now, later: () => {}, lagMs: () => lag, busy: () => busy })
  for (; now < 10_000; now += 10) expect(admit('one')).toBe(true)
})

/** A process that is behind, and stays so. */
function behind() {
  let now = 0
  const admission = createAdmission({ now: () => now, later: () => {}, lagMs: () => 5_000, busy: () => 1 })
  const answers: string[] = []
  const call = (key: string) => {
    const turn = admission.admit(key)
    if (turn === true) answers.push(key)
    else void turn.then((on) => answers.push(on ? key : `${key} refused`))
  }
  return { ...admission, call, answers, pass: (ms: number) => (now += ms) }
}

test('a caller with many calls waits for itself, not others for it', async () => {
  const { call, ended, answers } = behind()
  for (let calls = 0; calls < 500; calls++) call('loud')
  call('quiet')
  ended(4)
  await Promise.resolve()
  expect(answers).toEqual(['loud', 'quiet', 'loud'])
})

test('who has waited two seconds is refused, and so is who finds no place to wait', async () => {
  const { call, ended, pass, answers } = behind()
  for (let calls = 0; calls < 1_000; calls++) call('one')
  call('late')
  await Promise.resolve()
  expect(answers).toEqual(['late refused'])
  pass(2_001)
  call('later')
  await Promise.resolve()
  expect(answers.length).toBe(1_001)
  expect(new Set(answers)).toEqual(new Set(['late refused', 'one refused']))
  ended(9)
  call('last')
  ended(2)
  await Promise.resolve()
  expect(answers.slice(1_001)).toEqual(['later', 'last'])
})
