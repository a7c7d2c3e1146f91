import { Link } from '@remix-run/react'
import { CircleAlert, Hourglass, type LucideIcon, OctagonAlert } from 'lucide-react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { toneStyles } from '#app/ui/badge.tsx'
import type { PlanNotice } from '../plan-notice.ts'
import { subscriptionAddress } from '../subscription-address.ts'

const ICONS: Record<PlanNotice['tone'], LucideIcon> = {
  attention: CircleAlert,
  failing: OctagonAlert,
  held: Hourglass,
}

interface PlanNoticeLineProps extends AccountLink {
  /** Null when there is nothing to show. */
  notice: PlanNotice | null
}

/** The subscription notice above every page. */
export function PlanNoticeLine({ notice, accountUUID, admin }: PlanNoticeLineProps) {
  if (notice === null) return null
  const Icon = ICONS[notice.tone]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a chapter, and wants a heading.
    <div
      role="region"
      aria-label={notice.action ? 'Subscription' : 'Notice'}
      className={`mb-5 flex flex-wrap items-center gap-x-3 rounded-control px-3.5 py-1 text-label ${toneStyles[notice.tone]}`}
    >
      <p className="flex min-w-0 flex-1 basis-60 items-start gap-2.5 py-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 wrap-anywhere font-medium">{notice.sentence}</span>
      </p>
      {notice.action && (
        <Link
          to={subscriptionAddress({ accountUUID, admin })}
          reloadDocument
          className="ml-auto inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
        >
          {notice.action.label}
        </Link>
      )}
    </div>
  )
}
