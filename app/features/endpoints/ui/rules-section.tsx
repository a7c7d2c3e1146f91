import { useEffect, useRef } from 'react'
import { refOf } from '#app/domain/endpoint-key.ts'
import { toneStyles } from '#app/ui/badge.tsx'
import { buttonStyles } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { calledOf, type EndpointLine, type EndpointView, titleOf } from '../endpoint-view.ts'
import { NewAddress } from './form/endpoint-form.tsx'
import { cardId, type ManagerAccount, managerSearch } from './manager-address.ts'
import { statusMark } from './status-pills.tsx'
import { WebhookCard, type WebhookCardProps } from './webhook-card.tsx'

interface RulesSectionProps extends Omit<WebhookCardProps, 'webhook'> {
  /** Rules with a whole card. */
  rules: EndpointView[]
  /** The remaining rules, when there are many. */
  lines: EndpointLine[]
  /** Why no more addresses fit; null when one does. */
  noRoom: string | null
}

/** The extra addresses per object, each with its own filter. */
export function RulesSection({ rules, lines, noRoom, ...card }: RulesSectionProps) {
  const { account, result } = card
  const heading = useRef<HTMLHeadingElement>(null)
  const total = rules.length + lines.length
  const newest = rules.at(-1)?.id
  const count = useRef(total)
  useEffect(() => {
    // A submitted form: go on with what it made. A deleted rule: with the heading.
    const active = document.activeElement ?? document.body
    const sent = active === document.body || document.getElementById('add-rule')?.contains(active) === true
    const made =
      total > count.current && newest !== undefined ? document.getElementById(`${cardId(newest)}-title`) : null
    if (total !== count.current && sent) (made ?? heading.current)?.focus()
    count.current = total
  }, [total, newest])

  return (
    <section aria-labelledby="rules-title" className="mt-4 grid gap-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 id="rules-title" ref={heading} tabIndex={-1} className="font-semibold text-title">
          Forwarding Rules
        </h2>
        {total > 0 ? null : <p className="text-label text-ink-soft">Send the same events to another address.</p>}
      </div>
      {total === 0 ? null : (
        <ul className={`${cardStyles} divide-y divide-line`}>
          {inOrder([...rules, ...lines]).map((rule) => (
            <li key={rule.id} className="min-w-0">
              {isWhole(rule) ? <WebhookCard webhook={rule} {...card} /> : <RuleLine rule={rule} account={account} />}
            </li>
          ))}
        </ul>
      )}
      <NewAddress account={account} result={result} noRoom={noRoom} />
    </section>
  )
}

/** Sorts rules, oldest first. */
function inOrder(rules: (EndpointView | EndpointLine)[]): (EndpointView | EndpointLine)[] {
  return rules.sort((one, other) => refOf(one.id).id - refOf(other.id).id)
}

function isWhole(rule: EndpointView | EndpointLine): rule is EndpointView {
  return 'statusMessage' in rule
}

/** A rule as one line that opens its card, when there are many. Only a plain link: a page may hold 1,000. */
function RuleLine({ rule, account }: { rule: EndpointLine; account: ManagerAccount }) {
  const id = cardId(rule.id)
  const { word, tone } = statusMark(rule.status)
  return (
    <div id={id} className="flex flex-wrap items-center gap-x-3 px-4 py-1 sm:px-5">
      <h3 className="min-w-0 wrap-anywhere font-semibold text-label">{titleOf(rule)}</h3>
      <p className="min-w-0 flex-1 basis-40 truncate text-dense text-ink-soft">
        {rule.label} → {rule.callbackUrl}
      </p>
      <span className={`rounded-control px-2 text-dense ${toneStyles[tone]}`}>{word}</span>
      <a
        href={`${managerSearch(account, { step: 'card', webhookId: rule.id })}#${id}`}
        className={buttonStyles({ variant: 'quiet' })}
        aria-label={`Open ${calledOf(rule)}`}
      >
        Open
      </a>
    </div>
  )
}
