import { ExternalLink } from 'lucide-react'
import { OBJECT_KINDS, OBJECT_PAIRS } from '#app/domain/object-catalog.ts'
import { POLL_EVERY } from '#app/domain/polling.ts'
import { minutes } from '#app/lib/duration.ts'
import { ClosedSection } from '#app/ui/card.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'

const CODES: readonly { code: string; meaning: string }[] = [
  { code: '200', meaning: 'Success' },
  { code: '410', meaning: 'Unsubscribe the webhook' },
  { code: '429', meaning: 'Rate limited' },
  { code: 'Other 4xx/5xx', meaning: 'Retried for 72 hours' },
]

const DOCUMENTATION: readonly { title: string; href: string }[] = [
  { title: 'ServiceM8 webhooks', href: 'https://developer.servicem8.com/docs/webhooks-overview' },
  { title: 'Checking the signature of an event', href: 'https://www.standardwebhooks.com/' },
  { title: 'All calls of Fieldhook', href: '/api-reference' },
]

const POLLED_NOTE = `${OBJECT_KINDS.filter((kind) => kind.delivery === 'polled')
  .map((kind) => kind.label)
  .join(' and ')} have no webhooks in ServiceM8. We check them every ${POLL_EVERY / minutes(1)} minutes.`

export function QuickReference() {
  return (
    <ClosedSection id="reference" title="Quick Reference">
      <div className="grid gap-5 text-label">
        <div>
          <h3 className="mb-1 font-semibold">What your address answers</h3>
          <dl className="divide-y divide-line">
            {CODES.map(({ code, meaning }) => (
              <div key={code} className="flex justify-between gap-4 py-1.5">
                <dt className="font-medium tabular-nums">{code}</dt>
                <dd className="text-right text-ink-soft">{meaning}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div>
          <h3 className="mb-1 font-semibold">Supported objects</h3>
          <ul className="grid gap-1 text-ink-soft">
            {OBJECT_PAIRS.map((pair) => (
              <li key={pair}>{pair}</li>
            ))}
          </ul>
          <p className="mt-2 text-ink-soft">{POLLED_NOTE}</p>
        </div>
        <div>
          <h3 className="font-semibold">Documentation</h3>
          <ul>
            {DOCUMENTATION.map(({ title, href }) => (
              <li key={href}>
                <a
                  href={href}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="inline-flex min-h-11 items-center gap-1.5 font-medium text-accent underline-offset-4 hover:underline"
                >
                  {title}
                  <ExternalLink aria-hidden className="size-4 shrink-0" />
                  <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
                </a>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </ClosedSection>
  )
}
