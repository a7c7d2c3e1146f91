// One account asked for from all three instances at once: what may happen only once over all of them.
import type { Stage } from './stage.ts'

/** Requests at once, spread over the instances by the proxy. */
const AT_ONCE = 6

export interface AccountFound {
  accounts: number
  /** Rounds of `AT_ONCE` requests, each with a token that has just expired. */
  rounds: number
  /** Requests that were not answered 200. */
  refused: number
  /** Renewals of the token that can be used once; more than one a round ends the connection. */
  renewals: number
  /** Accounts that must sign in again. */
  disconnected: number
}

/** Each instance remembers a list for a while: every round asks for another one. */
const LISTS = ['jobs', 'companies', 'staff', 'queues', 'categories', 'materials', 'badges']

/** Needs `Stage.people`. At most as many rounds for each account as there are lists. */
export async function tokensRenewed(stage: Stage, times: number): Promise<AccountFound> {
  const cluster = await stage.cluster()
  const found: AccountFound = { accounts: stage.people.length, rounds: 0, refused: 0, renewals: 0, disconnected: 0 }
  try {
    for (const list of LISTS.slice(0, times)) {
      for (const { account, browser } of stage.people) {
        const before = await stage.platform.ask('expireTokens', account)
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, () => browser.json('GET', `/api/servicem8/${list}/${account}`)),
        )
        found.rounds++
        found.refused += answers.filter(({ status }) => status !== 200).length
        found.renewals += (await stage.platform.ask('renewals', account)) - before
      }
    }
    const [left] = await cluster.ask<{ count: number }>(
      "SELECT count(*)::int AS count FROM credential WHERE state <> 'connected'",
    )
    found.disconnected = left?.count ?? 0
    return found
  } finally {
    await cluster.close()
  }
}
