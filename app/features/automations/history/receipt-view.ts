// A receipt in words.
import type { ReceiptState } from '#app/domain/automations/receipt.ts'
import type { HistoryItem } from '../runs/run-history.ts'

export interface ReceiptView {
  state: ReceiptState
  words: string
  /** Epoch ms; null = the words say all. */
  at: number | null
  lookedAt: number | null
}

const WORDS: Readonly<Record<ReceiptState, string>> = {
  open: 'Waiting for a receipt',
  listed: 'Sent on by ServiceM8',
  delivered: 'Delivered',
  opened: 'Opened',
  bounced: 'Bounced, seen',
  missing: 'Not confirmed after 30 minutes',
  none: 'No receipt: not linked to a job',
}

/** Null = not a message to a customer, or not sent. */
export function receiptView({ receipt, state }: Pick<HistoryItem, 'receipt' | 'state'>): ReceiptView | null {
  if (receipt === null || (state !== 'sent' && state !== 'unknown')) return null
  const isLost = receipt.state === 'missing'
  return {
    state: receipt.state,
    words: isLost && state === 'unknown' ? 'Not in the job’s history' : WORDS[receipt.state],
    at: receipt.at === null ? null : Date.parse(receipt.at),
    lookedAt: isLost && receipt.lookedAt !== null ? Date.parse(receipt.lookedAt) : null,
  }
}

/** What a person has to know first comes first. */
const URGENCY: readonly ReceiptState[] = ['bounced', 'missing', 'none', 'open', 'listed', 'opened', 'delivered']

/** One for a whole run; null = it has sent nothing. */
export function receiptOfRun(items: readonly HistoryItem[]): ReceiptView | null {
  const views = items.flatMap((item) => receiptView(item) ?? [])
  return views.sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state))[0] ?? null
}
