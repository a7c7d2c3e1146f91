// What a simulated week is judged by, and what it found.
export interface WeekFinding {
  messages: number
  answers: number
  deaths: number
  /** Calls to read a history, and the looks that made them. */
  calls: number
  receipts: number
  /** Messages that left after an answer that could be read five seconds before. */
  afterAnswer: number
  repeated: number
  falseReceipts: number
  /** Looks that cost more than one call. */
  dearLooks: number
  lostAnswers: number
  toldTwice: number
  wrong: string[]
}

/** What the proof knows about one answer. */
export interface GivenAnswer {
  job: string
  uuid: string
  /** When the history shows it. */
  readableAt: number
  /** When somebody let messages go on; null = nobody. */
  goneOnAt: number | null
}

/** When the history could not be read at all. */
export interface Closed {
  from: number
  to: number
}

/** What the judge has to know of a week. */
export interface JudgedWeek {
  answers: GivenAnswer[]
  closed: Closed[]
  deaths: number
  dearLooks: number
}
