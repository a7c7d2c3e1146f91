import type { Millis } from '../lib/clock.ts'

/** What an engine does when accounts become its own, or others'. */
export interface OwnershipUse {
  name: string
  /** Called at each beat. `taken` = there are accounts that were not ours before. */
  onHeld(taken: boolean): Promise<void>
  /** Begins nothing more for accounts that are not `isOurs`; resolves soon, with what is under way told to their owner. */
  giveUp(isOurs: (account: string) => boolean): Promise<void>
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
