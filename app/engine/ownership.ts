import type { Millis } from '../lib/clock.ts'

/** Some of all accounts. */
export type Accounts = (account: string) => boolean

/** What an engine does when accounts become its own, or others'. */
export interface OwnershipUse {
  name: string
  /** Called at each beat. `taken`: which accounts were not ours before; null = none. */
  onHeld(taken: Accounts | null): Promise<void>
  /** Begins nothing more for accounts that are not `isOurs`; resolves soon, with what is under way told to their owner. */
  giveUp(isOurs: Accounts): Promise<void>
}

/** For which accounts an engine may work. */
export interface Ownership {
  start(): void
  /** May it begin new work at all? */
  holds(now: Millis): boolean
  owns(account: string): boolean
  /** Gives everything back. */
  release(): Promise<void>
  lastRunAt(): Millis | null
  /** Beats so far, successful or not. */
  turns(): number
}

export type MakeOwnership = (use: OwnershipUse) => Ownership
