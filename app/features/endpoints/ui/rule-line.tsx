import { toneLook } from '#app/ui/badge.tsx'
import { buttonLook } from '#app/ui/button.tsx'
import { cardLook } from '#app/ui/card.tsx'
import type { EndpointLine } from '../endpoint-view.ts'
import { cardId, type ManagerAccount, managerSearch } from './manager-address.ts'
import { statusLook } from './status-look.tsx'

/** A forwarding rule in one line, where there are many: opened, it is the whole card. No icon, no form, a plain link: a page may hold 1,000. */
export function RuleLine({ rule, account }: { rule: EndpointLine; account: ManagerAccount }) {
  const id = cardId(rule.id)
  const { word, tone } = statusLook(rule.status)
  return (
    <div id={id} className={`${cardLook} flex flex-wrap items-center gap-x-3 px-4 py-1 sm:px-5`}>
      <h3 className="min-w-0 wrap-anywhere font-semibold text-label">{rule.name}</h3>
      <p className="min-w-0 flex-1 basis-40 truncate text-dense text-ink-soft">
        {rule.label} → {rule.callbackUrl}
      </p>
      <span className={`rounded-control px-2 text-dense ${toneLook[tone]}`}>{word}</span>
      <a
        href={`${managerSearch(account, { step: 'card', webhookId: rule.id })}#${id}`}
        className={buttonLook({ look: 'quiet' })}
        aria-label={`Open ${rule.name} rule`}
      >
        Open
      </a>
    </div>
  )
}
