// Evaluates changed records: many side by side, and together when one account has many.
import { seconds } from '#app/lib/duration.ts'
import type { TouchedRecord } from '#db/store/triggers.ts'
import { type EvaluateApp, evaluateRecord, pauseAfter } from './evaluate.server.ts'
import { evaluateTogether } from './evaluate-together.server.ts'

/**
 * Evaluations side by side, in total and per account. An evaluation mostly waits for the platform, so many cost little.
 * An account without calls left, or whose platform does not answer, occupies two places at most.
 */
const AT_ONCE = 32
const PER_ACCOUNT = 2

/** From this many due records of one list, read the list once instead of each record, MOST_TOGETHER at a time. */
const MANY = 10
const MOST_TOGETHER = 200

/** How long no evaluation starts after a postponement could not be stored. ms */
const REST = seconds(10)

/**
 * Each evaluation, of one record or of many of one account, has its own place and frees it at its end, so a slow one
 * delays no other. Each calls `ended` with the number of runs it started, which triggers the next round. A record that
 * fails is postponed alone.
 */
export function createEvaluator(app: EvaluateApp, ended: (started: number) => void) {
  const underWay = new Set<string>()
  const looks = new Set<Promise<void>>()
  const atWork = new Map<string, number>()
  /** Records not found on a list; they are read one by one. */
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
    // Records settled before an error stay settled: evaluating them again could start rules twice.
    const settled = new Set<TouchedRecord>()
    try {
      const { started, left } = await evaluateTogether(app, records, settled)
      // They are still due, and take the next places.
      for (const touched of left) alone.add(keyOf(touched))
      return started
    } catch (error) {
      const undone = records.filter((touched) => !settled.has(touched))
      app.log.error({ account: first?.accountUuid, object: first?.object, error }, 'records.evaluation_failed')
      await Promise.all(undone.map(postpone))
      // Some of them may have started runs, so make the caller look for runs.
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
      // The record is still due: an immediate retry would only spend the account's calls.
      restUntil = app.clock.now() + REST
      app.log.error({ account: accountUuid, object, error }, 'record.not_put_off')
    }
  }

  function isFull(accountUuid: string): boolean {
    return (atWork.get(accountUuid) ?? 0) >= PER_ACCOUNT
  }

  /** A record that failed or was not found together with others is read alone. */
  function isByItself(touched: TouchedRecord): boolean {
    return touched.tries > 0 || alone.has(keyOf(touched))
  }

  /** The record alone, or with all other due records of its list if there are many. */
  async function withOthers(touched: TouchedRecord, now: number): Promise<TouchedRecord[]> {
    const { accountUuid, object } = touched
    const due = await app.store.triggers.dueTouchedOf(accountUuid, object, now, MOST_TOGETHER)
    const free = due.filter((one) => !underWay.has(keyOf(one)) && !isByItself(one))
    return free.length >= MANY ? free : [touched]
  }

  return {
    /** Starts due evaluations while there is room, without waiting for them. Resolves with the time of the next round. */
    async round() {
      const now = app.clock.now()
      if (restUntil > now) return restUntil
      // Running records are still due: raise the limit by their number, and skip them below.
      const limit = AT_ONCE + looks.size
      const due = await app.store.triggers.dueTouched(now, { limit, perAccount: PER_ACCOUNT })
      const dueOf = (account: string) => due.filter((touched) => touched.accountUuid === account).length
      for (const touched of due) {
        const { accountUuid } = touched
        if (looks.size >= AT_ONCE) break
        if (underWay.has(keyOf(touched)) || isFull(accountUuid)) continue
        // Only an account with enough due records to fill its places gets more at once.
        const mayHaveMore = dueOf(accountUuid) >= PER_ACCOUNT && !isByItself(touched)
        begin(accountUuid, mayHaveMore ? await withOthers(touched, now) : [touched])
      }
      // Due records without a place start when a place is freed.
      return app.store.triggers.nextTouchedDueAt(now)
    },
    /** Resolves when no evaluation is running any more. */
    async settled() {
      await Promise.all(looks)
    },
  }
}

function keyOf({ accountUuid, object, recordUuid }: TouchedRecord): string {
  return `${accountUuid} ${object} ${recordUuid}`
}
