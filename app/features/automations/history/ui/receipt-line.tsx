// What became of a message, with its time.
import { Eye, Hourglass, type LucideIcon, MailCheck, MailX, MessageCircleQuestion, Unlink } from 'lucide-react'
import type { ReceiptState } from '#app/domain/automations/receipt.ts'
import { Time } from '#app/ui/time/time.tsx'
import type { ReceiptView } from '../receipt-view.ts'

const LOOKS: Readonly<Record<ReceiptState, { icon: LucideIcon; tone: string }>> = {
  open: { icon: Hourglass, tone: 'text-ink-soft' },
  listed: { icon: MailCheck, tone: 'text-ink-soft' },
  delivered: { icon: MailCheck, tone: 'text-working' },
  opened: { icon: Eye, tone: 'text-working' },
  bounced: { icon: MailX, tone: 'text-failing' },
  missing: { icon: MessageCircleQuestion, tone: 'text-attention' },
  none: { icon: Unlink, tone: 'text-ink-soft' },
}

/** Null draws nothing. */
export function ReceiptLine({ receipt }: { receipt: ReceiptView | null }) {
  if (receipt === null) return null
  const { state, words, at, lookedAt } = receipt
  const { icon: Icon, tone } = LOOKS[state]
  return (
    <p className={`flex items-start gap-1.5 text-dense ${tone}`}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="wrap-anywhere min-w-0">
        {words}
        {at === null ? null : (
          <>
            {' '}
            <Time at={at} as="clock" className="tabular-nums" />
          </>
        )}
        {lookedAt === null ? null : (
          <>
            {', checked '}
            <Time at={lookedAt} as="clock" className="tabular-nums" />
          </>
        )}
      </span>
    </p>
  )
}
