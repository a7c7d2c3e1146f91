import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decideNamedAs } from '#app/domain/account-id.ts'
import { type IdRows, mapId } from './acts.ts'
import type { Step } from './database.ts'

/** A database whose answers take time: each step is handed out as a question, and resumed with its answer. */
function* asked<T>(question: T): Generator<T, T, T> {
  return yield question
}

async function runSlowly<T>(act: Step<T>): Promise<{ answer: T; waits: number }> {
  const steps = act[Symbol.iterator]()
  let waits = 0
  let step = steps.next()
  while (!step.done) {
    waits++
    step = steps.next(await step.value)
  }
  return { answer: step.value, waits }
}

test('an act runs over a database whose answers take time', async () => {
  const rows: IdRows = {
    lookUpId: () => asked({ isAccount: false, mappedTo: null }),
    addMapping: (_id, _account, limit) => asked(limit > 0 ? ('mapped' as const) : ('full' as const)),
  }
  const ids = { externalId: 'ext', accountUuid: 'leeds' }
  expect(await runSlowly(mapId(rows, { ...ids, limit: 1 }, decideNamedAs))).toEqual({ answer: 'mapped', waits: 2 })
  expect(await runSlowly(mapId(rows, { ...ids, limit: 0 }, decideNamedAs))).toEqual({ answer: 'full', waits: 2 })
  const own = mapId(rows, { externalId: 'leeds', accountUuid: 'leeds', limit: 1 }, decideNamedAs)
  expect(await runSlowly(own)).toEqual({ answer: 'same', waits: 1 })
})

test('no SQL calls a decision: it reads and writes, and the act decides in between', () => {
  const folder = new URL('./sql/', import.meta.url)
  const calls = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.server.ts'))
    .flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\b(?:options\.)?(?:choose|decide|reason)\(/g)].map(
        ([call]) => `${file}: ${call}`,
      ),
    )
  expect(calls).toEqual([])
})
