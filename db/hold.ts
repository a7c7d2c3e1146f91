// The mark on a database that a person has not looked at yet, a restored or a moved one: nothing is sent from it.

export interface HoldMark {
  isSet(): Promise<boolean>
  /** Lets the database go. */
  clear(): Promise<void>
  /** What would be sent, once it is let go. */
  waiting(): Promise<{ deliveries: number; runs: number }>
}
