import { minutes, seconds } from './duration.ts'

/** How long a page offers to undo a deletion, ms. */
export const UNDO_SHOWN = seconds(10)

/** How long a deletion can be undone, ms: a slow reader has longer than the page offers. */
export const UNDO_KEPT = minutes(10)
