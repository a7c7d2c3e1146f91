// Turns over all instances: first in the own process, then by a row that belongs to this instance. When an instance is
// declared gone, its rows go with it, so a dead holder keeps nobody waiting.
import { setTimeout as pause } from 'node:timers/promises'
import { type InTurn, TurnError, turnsInMemory } from '#app/lib/in-turn.server.ts'
import type { Database } from '../database.ts'

const TRY_EVERY_MS = 100
const LONGEST_WAIT_MS = 30_000
const RELEASE_AGAIN_MS = 1_000

/**
 * Each statement stands by itself: it is done at once or not at all, and needs no transaction.
 *
 * @param memberId this instance's row in `member`; without it nobody gets a turn
 */
export function turnsOnServer(
  db: Database,
  memberId: string,
  { longestWaitMs = LONGEST_WAIT_MS, releaseAgainMs = RELEASE_AGAIN_MS } = {},
): InTurn {
  // A row of our own that is still there was not released: within this process the turn is ours already.
  const insert = db
    .prepare<{ key: string; memberId: string }, number>(
      `INSERT INTO turn (name, member) VALUES (@key, @memberId)
       ON CONFLICT (name) DO UPDATE SET member = excluded.member WHERE turn.member = excluded.member RETURNING 1`,
    )
    .pluck()
  const remove = db.prepare<{ key: string; memberId: string }>(
    'DELETE FROM turn WHERE name = @key AND member = @memberId',
  )
  const take = db.read((key: string) => insert.get({ key, memberId }))
  const free = db.read((key: string) => remove.run({ key, memberId }))
  const inProcess = turnsInMemory()
  /** Turns whose row may still stand, because the database could not be asked. */
  const unreleased = new Set<string>()

  async function waitFor(key: string): Promise<void> {
    const until = performance.now() + longestWaitMs
    // Before it is asked: the row may be there although the answer is lost.
    unreleased.add(key)
    while ((await take(key)) === undefined) {
      if (performance.now() >= until) {
        unreleased.delete(key)
        throw new TurnError('Another part of Fieldhook is still working on this. Please try again in a moment.')
      }
      await pause(TRY_EVERY_MS)
    }
  }

  async function release(key: string): Promise<void> {
    try {
      await free(key)
      unreleased.delete(key)
    } catch {
      // In its turn, so that it never ends somebody's work that began meanwhile.
      setTimeout(() => void inProcess(key, () => releaseLeft(key)), releaseAgainMs).unref()
    }
  }

  async function releaseLeft(key: string): Promise<void> {
    if (unreleased.has(key)) await release(key)
  }

  return (key, work) =>
    inProcess(key, async () => {
      try {
        await waitFor(key)
        return await work()
      } finally {
        await releaseLeft(key)
      }
    })
}
