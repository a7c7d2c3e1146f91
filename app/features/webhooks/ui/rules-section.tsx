import { Split } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Card } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { MOST_ENDPOINTS, NO_ROOM_FOR_ENDPOINTS } from '../endpoint-key.ts'
import type { ReplayPanelData } from '../replay-words.ts'
import type { RuleView } from '../webhook-view.ts'
import { type FormResult, resultFor } from './form-result.ts'
import type { LogAnswer } from './log-filter.ts'
import type { ManagerAccount, ManagerStep } from './manager-address.ts'
import { useSending } from './manager-form.tsx'
import { AddRuleForm } from './rule-form.tsx'
import { WebhookCard } from './webhook-card.tsx'

interface RulesSectionProps {
  rules: RuleView[]
  /** Addresses the account has besides these. */
  webhooks: number
  account: ManagerAccount
  step: ManagerStep
  log: LogAnswer | null
  replay: ReplayPanelData | null
  logSource: string
  result: FormResult | undefined
}

/** Several addresses per object, each with its own filter. */
export function RulesSection({ rules, webhooks, account, step, log, replay, logSource, result }: RulesSectionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const count = useRef(rules.length)
  useEffect(() => {
    // A rule that goes away, or the form that made one, takes the focus with it: then the heading has it next.
    const lost = (document.activeElement ?? document.body) === document.body
    if (rules.length !== count.current && lost) heading.current?.focus()
    count.current = rules.length
  }, [rules.length])

  return (
    <section aria-labelledby="rules-title" className="mt-8 grid gap-3">
      <div className="grid gap-1">
        <h2 id="rules-title" ref={heading} tabIndex={-1} className="font-semibold text-title">
          Forwarding Rules
        </h2>
        <p className="max-w-prose text-label text-ink-soft">
          Send the same events to more than one place: each rule is one more address for an object, with its own filter.
        </p>
      </div>
      {rules.length === 0 ? (
        <Card>
          <EmptyState icon={Split} title="No forwarding rules yet">
            A webhook has one address. When a second system wants the same events, add its address here and it gets a
            copy, tried again and paused on its own.
          </EmptyState>
        </Card>
      ) : (
        <ul className="grid gap-4">
          {rules.map((rule) => (
            <li key={rule.id} className="min-w-0">
              <WebhookCard
                webhook={rule}
                account={account}
                step={step}
                log={log}
                replay={replay}
                logSource={logSource}
                result={result}
              />
            </li>
          ))}
        </ul>
      )}
      <AddRule account={account} result={result} full={webhooks + rules.length >= MOST_ENDPOINTS} />
    </section>
  )
}

interface AddRuleProps {
  account: ManagerAccount
  result: FormResult | undefined
  full: boolean
}

/** The form, folded away. After a rule was made it is closed and empty again; after a refusal it keeps what was typed. */
function AddRule({ account, result, full }: AddRuleProps) {
  const refused = resultFor(result, 'create_rule')
  const sending = useSending('create_rule')
  const wasSending = useRef(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (wasSending.current && !sending && !refused) setRound((last) => last + 1)
    wasSending.current = sending
  }, [sending, refused])

  if (full && !refused) return <p className="text-label text-ink-soft">{NO_ROOM_FOR_ENDPOINTS}</p>
  return (
    <Card className="px-4 py-1 sm:px-5">
      <Disclosure key={round} summary="Add another address" {...(refused ? { open: true } : {})}>
        <div className="pt-1 pb-3">
          <AddRuleForm account={account} refused={refused} sending={sending} />
        </div>
      </Disclosure>
    </Card>
  )
}
