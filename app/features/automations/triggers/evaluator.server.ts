// Looks at records that changed, many side by side, and those of one account together when there are many.
import { seconds } from '#app/lib/duration.ts'
import type { TouchedRecord } from '#db/store/triggers.ts'
import { type EvaluateApp, evaluateRecord, pauseAfter } from './evaluate.server.ts'
import { evaluateTogether } from './evaluate-together.server.ts'

/**
 * Records looked at side by side, and of one account. Nearly all of a look is waiting for the platform, so many cost little; and
 * an account whose calls are spent, or whose platform does not answer, keeps two places and never the others' as well.
 */
const AT_ONCE = 32
const PER_ACCOUNT = 2

/** From so many due records of one list on, the list is read once instead of each of them, for so many at a time. */
const MANY = 10
const MOST_TOGETHER = 200

/** Where not even the delay of a look can be written down, none is begun for so long. ms */
const REST = seconds(10)

interface Evaluator {
  /** Begins to look at what is due, as far as there is room, and does not wait for it. Resolves with when to come again. */
  round(): Promise<number | null>
  /** Resolves when nothing is being looked at any more. */
  settled(): Promise<void>
}

/**
 * Each look, at one record or at many of one account, has a place of its own and gives it back when it is done: one that takes long
 * keeps nobody waiting. `ended` is told of each with how many runs it started, and calls for the next round. One record's trouble is
 * its own: it is put off.
 */
export function createEvaluator(app: EvaluateApp, ended: (started: number) => void): Evaluator {
  const underWay = new Set<string>()
  const looks = new Set<Promise<void>>()
  const atWork = new Map<string, number>()
  /** Looked for on a list in vain: to be read by themselves. */
  const alone = new Set<string>()
  let restUntil = 0

  function begin(accountUuid: string, records: readonly TouchedRecord[]): void {
    for (const touched of records) underWay.add(keyOf(touched))
    atWork.set(accountUuid, (atWork.get(accountUuid) ?? 0) + 1)
    const looking = evaluateAll(records).then((started) => {
      for (const touched of records) underWay.delete(keyOf(touched))
      looks.delete(looking)
      const left = (atWork.get(accountUuid) ?? 1) - 1
      if (left > 0) atWork.set(accountUuid, left)
      else atWork.delete(accountUuid)
      ended(started)
    })
    looks.add(looking)
  }

  /** Never rejects. */
  async function evaluateAll(records: readonly TouchedRecord[]): Promise<number> {
    const [first] = records
    if (records.length === 1 && first) return look(first)
    // What was settled before something broke is done for good: to look at it a second time could set rules off twice.
    const settled = new Set<TouchedRecord>()
    try {
      const { started, left } = await evaluateTogether(app, records, settled)
      // They are still due, and have the next places.
      for (const touched of left) alone.add(keyOf(touched))
      return started
    } catch (error) {
      const undone = records.filter((touched) => !settled.has(touched))
      app.log.error({ account: first?.accountUuid, object: first?.object, error }, 'records.evaluation_failed')
      await Promise.all(undone.map(postpone))
      // There may have been some, so the runs are looked for.
      return settled.size
    }
  }

  /** Never rejects. */
  async function look(touched: TouchedRecord): Promise<number> {
    const { accountUuid, object } = touched
    alone.delete(keyOf(touched))
    try {
      return await evaluateRecord(app, touched)
    } catch (error) {
      app.log.error({ account: accountUuid, object, error }, 'record.evaluation_failed')
    }
    await postpone(touched)
    return 0
  }

  /** Never rejects. */
  async function postpone(touched: TouchedRecord): Promise<void> {
    const { accountUuid, object, tries } = touched
    try {
      await app.store.triggers.postponeTouched(touched, app.clock.now() + pauseAfter(tries))
    } catch (error) {
      // It is still due: asking again at once would only spend the account's calls.
      restUntil = app.clock.now() + REST
      app.log.error({ account: accountUuid, object, error }, 'record.not_put_off')
    }
  }

  function isFull(accountUuid: string): boolean {
    return (atWork.get(accountUuid) ?? 0) >= PER_ACCOUNT
  }

  /** What did not work together is tried by itself. */
  function isByItself(touched: TouchedRecord): boolean {
    return touched.tries > 0 || alone.has(keyOf(touched))
  }

  /** The record alone, or with everything like it that is due, when that is much. */
  async function withOthers(touched: TouchedRecord, now: number): Promise<TouchedRecord[]> {
    const { accountUuid, object } = touched
    const due = await app.store.triggers.dueTouchedOf(accountUuid, object, now, MOST_TOGETHER)
    const free = due.filter((one) => !underWay.has(keyOf(one)) && !isByItself(one))
    return free.length >= MANY ? free : [touched]
  }

  return {
    async round() {
      const now = app.clock.now()
      if (restUntil > now) return restUntil
      // Those at work are still due: they are counted in, and left out.
      const limit = AT_ONCE + looks.size
      const due = await app.store.triggers.dueTouched(now, { limit, perAccount: PER_ACCOUNT })
      const dueOf = (account: string) => due.filter((touched) => touched.accountUuid === account).length
      for (const touched of due) {
        const { accountUuid } = touched
        if (looks.size >= AT_ONCE) break
        if (underWay.has(keyOf(touched)) || isFull(accountUuid)) continue
        // Only an account that fills its places may have more.
        const mayHaveMore = dueOf(accountUuid) >= PER_ACCOUNT && !isByItself(touched)
        begin(accountUuid, mayHaveMore ? await withOthers(touched, now) : [touched])
      }
      // What is due already and has no place is begun when one is given back.
      return app.store.triggers.nextTouchedDueAt(now)
    },
    async settled() {
      await Promise.all(looks)
    },
  }
}

function keyOf({ accountUuid, object, recordUuid }: TouchedRecord): string {
  return `${accountUuid} ${object} ${recordUuid}`
}
