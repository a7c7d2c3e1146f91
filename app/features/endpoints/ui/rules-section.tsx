import { Split } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { refOf } from '#app/domain/endpoint-key.ts'
import { Card } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import type { ReplayPanelData } from '../controls/replay-words.ts'
import type { EndpointLine, EndpointView } from '../endpoint-view.ts'
import { type FormResult, resultFor } from './form/form-result.ts'
import { useSending } from './form/manager-form.tsx'
import { AddRuleForm } from './form/rule-form.tsx'
import type { LogAnswer } from './log/log-filter.ts'
import type { ManagerAccount, ManagerStep } from './manager-address.ts'
import { RuleLine } from './rule-line.tsx'
import { WebhookCard } from './webhook-card.tsx'

interface RulesSectionProps {
  /** Those with their whole card. */
  rules: EndpointView[]
  /** The others, where there are many. */
  lines: EndpointLine[]
  /** Why no further address fits; null = one does. */
  noRoom: string | null
  account: ManagerAccount
  step: ManagerStep
  log: LogAnswer | null
  replay: ReplayPanelData | null
  logSource: string
  result: FormResult | undefined
}

/** Several addresses per object, each with its own filter. */
export function RulesSection({
  rules,
  lines,
  noRoom,
  account,
  step,
  log,
  replay,
  logSource,
  result,
}: RulesSectionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const total = rules.length + lines.length
  const count = useRef(total)
  useEffect(() => {
    // A rule that goes away, or the form that made one, takes the focus with it: then the heading has it next.
    const lost = (document.activeElement ?? document.body) === document.body
    if (total !== count.current && lost) heading.current?.focus()
    count.current = total
  }, [total])

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
      {total === 0 ? (
        <Card>
          <EmptyState icon={Split} title="No forwarding rules yet">
            A webhook has one address. When a second system wants the same events, add its address here and it gets a
            copy, tried again and paused on its own.
          </EmptyState>
        </Card>
      ) : (
        <ul className={`grid ${lines.length > 0 ? 'gap-2' : 'gap-4'}`}>
          {inOrder([...rules, ...lines]).map((rule) => (
            <li key={rule.id} className="min-w-0">
              {isWhole(rule) ? (
                <WebhookCard
                  webhook={rule}
                  account={account}
                  step={step}
                  log={log}
                  replay={replay}
                  logSource={logSource}
                  result={result}
                />
              ) : (
                <RuleLine rule={rule} account={account} />
              )}
            </li>
          ))}
        </ul>
      )}
      <AddRule account={account} result={result} noRoom={noRoom} />
    </section>
  )
}

/** Oldest first. */
function inOrder(rules: (EndpointView | EndpointLine)[]): (EndpointView | EndpointLine)[] {
  return rules.sort((one, other) => refOf(one.id).id - refOf(other.id).id)
}

function isWhole(rule: EndpointView | EndpointLine): rule is EndpointView {
  return 'statusMessage' in rule
}

interface AddRuleProps {
  account: ManagerAccount
  result: FormResult | undefined
  noRoom: string | null
}

/** The form, folded away. After a rule was made it is closed and empty again; after a refusal it keeps what was typed. */
function AddRule({ account, result, noRoom }: AddRuleProps) {
  const refused = resultFor(result, 'create_rule')
  const sending = useSending('create_rule')
  const wasSending = useRef(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (wasSending.current && !sending && !refused) setRound((last) => last + 1)
    wasSending.current = sending
  }, [sending, refused])

  if (noRoom !== null && !refused) return <p className="text-label text-ink-soft">{noRoom}</p>
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
