/** Several instances on one database: who lives, and who works for whose accounts. */

export interface Member {
  /** New with each start. */
  id: string
  /** The machine, the process on it and its start. */
  process: string
  version: string
  /** Grows as long as it lives. */
  beats: number
  /** False = it starts, ends or is held: it counts for nobody's fair part. */
  takes: boolean
}

export interface ShareRow {
  /** 0 to 63. */
  part: number
  /** Null = nobody works for its accounts. */
  owner: string | null
}

export interface ClusterView {
  members: Member[]
  shares: ShareRow[]
  /** How far the database's clock is ahead of this machine's, in ms. */
  clockAhead: number
}

/** What one instance tells another. `shares`: some are free · `deliveries`: there is news · `rules`: a rule changed. */
export type BellTopic = 'shares' | 'deliveries' | 'runs' | 'rules' | 'touched'

export interface Cluster {
  /** The id of this instance, new with each start. */
  readonly me: string
  shareOf(accountUuid: string): number
  /** Says that this instance lives, and reads what there is. Null = the others have removed it. */
  beat(takes: boolean): Promise<ClusterView | null>
  /** Removes a member that has not beaten since. Waits for its acts under way; its shares are free then. */
  remove(member: Pick<Member, 'id' | 'beats'>): Promise<boolean>
  /** Takes at most `count` shares that nobody has. Resolves with them. */
  take(count: number): Promise<number[]>
  /** What was left in them is looked through. */
  lookedThrough(parts: readonly number[]): Promise<void>
  give(parts: readonly number[]): Promise<void>
  /** Takes out what others did to endpoints of our accounts. Resolves with the ids of the endpoints. */
  takeNews(): Promise<number[]>
  /** Leaves news of an endpoint to whoever works for its account. Nothing when that is this instance. */
  tell(endpointId: number): Promise<void>
  ring(topic: BellTopic): void
  /** Calls `hear` when another instance has rung. */
  onRing(hear: (topic: BellTopic) => void): void
  /** Gives everything back and is no member any more. */
  leave(): Promise<void>
}
