import {
  Braces,
  CalendarClock,
  CircleCheck,
  CirclePause,
  ClipboardCheck,
  Eye,
  Link2,
  Pencil,
  Play,
  PowerOff,
} from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import {
  type AutomationAccount,
  type AutomationStep,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Badge } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { Time } from '#app/ui/time/time.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import type { SentenceParts } from '../../rules/sentence.ts'
import type { PageResult } from '../act-on-rule.ts'
import { PREPARING, pauseHelp, RULE_COPIED, URL_COPIED } from '../page-text.ts'
import { AskRunPanel } from './ask-run-panel.tsx'
import { CopyText, ShownText } from './copy-text.tsx'
import { DeleteRule, DeleteRuleQuestion } from './delete-rule.tsx'
import { NotMetDialog } from './not-met.tsx'
import { BacktestPanel, PreviewPanel } from './preview-panel.tsx'
import { RuleButton, RuleSwitch } from './rule-button.tsx'

interface RuleCardProps {
  rights: OwnerRights
  rule: RuleCardView
  account: AutomationAccount
  step: AutomationStep
  result: PageResult | null
}

/** One rule of the list: its sentence, its status, and its actions. */
export function RuleCard({ rights, rule, account, step, result }: RuleCardProps) {
  const id = ruleAnchor(rule.id)
  const heading = useRef<HTMLHeadingElement>(null)
  const pressed = useRef<HTMLButtonElement>(null)
  const own = result !== null && 'ruleId' in result && result.ruleId === rule.id ? result : null
  // An address with this anchor moves the focus here.
  useEffect(() => {
    if (window.location.hash === `#${id}`) heading.current?.focus({ preventScroll: true })
  }, [id])
  return (
    <article id={id} aria-labelledby={`${id}-title`} className={`${cardStyles} grid gap-3 p-4 sm:p-5`}>
      <div className="flex items-start gap-3">
        <div className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 id={`${id}-title`} ref={heading} tabIndex={-1} className="min-w-0 wrap-anywhere font-semibold text-body">
            {rule.name}
          </h3>
          <StateBadge rule={rule} />
        </div>
        <RuleSwitch rule={rule} account={account} />
      </div>
      {rule.description === '' ? null : (
        <p className="wrap-anywhere whitespace-pre-line text-ink-soft text-label">{rule.description}</p>
      )}
      <Sentence parts={rule.sentence} />
      <Standing rule={rule} account={account} />
      <Facts rule={rule} />
      <Buttons rule={rule} account={account} pressed={pressed} />
      {own?.kind === 'not_met' ? <NotMetDialog result={own} account={account} returnTo={pressed} /> : null}
      {own?.kind === 'ask_run' ? <AskRunPanel result={own} account={account} /> : null}
      {own?.kind === 'previewed' ? <PreviewPanel result={own} account={account} /> : null}
      {own?.kind === 'backtested' ? <BacktestPanel result={own} account={account} /> : null}
      <Opened rights={rights} rule={rule} account={account} step={step} />
    </article>
  )
}

function StateBadge({ rule: { active, pausedReason } }: { rule: RuleCardView }) {
  if (pausedReason !== null) {
    return (
      <Badge tone="held" icon={CirclePause}>
        Paused
      </Badge>
    )
  }
  return (
    <Badge tone={active ? 'working' : 'neutral'} icon={active ? CircleCheck : PowerOff}>
      {active ? 'Active' : 'Inactive'}
    </Badge>
  )
}

/** The part of this rule that the address opens: its JSON, its URL, or the delete question. */
function Opened({ rights, rule, account, step }: Omit<RuleCardProps, 'result'>) {
  if (!('ruleId' in step) || step.ruleId !== rule.id) return null
  const id = ruleAnchor(rule.id)
  switch (step.step) {
    case 'json':
      return (
        <ShownText
          id={`${id}-json`}
          label="The automation as JSON"
          hint="Copy it and paste it under “Import Automation”, here or in another account."
          text={rule.json}
          rows={10}
          ruleId={rule.id}
          account={account}
        />
      )
    case 'url':
      return rule.triggerUrl === null ? null : (
        <ShownText
          id={`${id}-url`}
          label="Endpoint URL"
          hint="Send a POST request with job_uuid and date (YYYY-MM-DD). The address contains a key: give it only to the system that is to call it."
          text={rule.triggerUrl}
          rows={3}
          ruleId={rule.id}
          account={account}
        >
          <OwnerOnly
            accountUUID={account.accountUUID}
            note={ownerNote(rights, 'make a new address')}
            held={rights.refusal === 'fresh'}
          >
            {(held) => (
              <RuleButton {...held} act="new_url" ruleId={rule.id} account={account} variant="danger-quiet">
                Make a new address
              </RuleButton>
            )}
          </OwnerOnly>
        </ShownText>
      )
    case 'delete':
      return <DeleteRuleQuestion rule={rule} account={account} />
    default:
      return null
  }
}

/** "When … only if … then …", with the keywords highlighted. */
function Sentence({ parts: { when, onlyIf, does } }: { parts: SentenceParts }) {
  const event = /^When /.test(when) ? when.slice(5) : null
  return (
    <p className="wrap-anywhere text-body">
      {event === null ? (
        when
      ) : (
        <>
          <strong className="font-semibold">When</strong> {event}
        </>
      )}
      {onlyIf === null ? (
        `, ${does}.`
      ) : (
        <>
          , <strong className="font-semibold">only if</strong> {onlyIf}, <strong className="font-semibold">then</strong>{' '}
          {does}.
        </>
      )}
    </p>
  )
}

/** Problems that stop the rule, with their fixes. */
function Standing({ rule, account }: Pick<RuleCardProps, 'rule' | 'account'>) {
  const help = rule.pausedReason === null ? null : pauseHelp(rule.pauseEndsByItself)
  return (
    <>
      {rule.pausedReason !== null && help ? (
        <Notice tone="attention" title="Why it is paused">
          <p>
            {rule.pausedReason} {help.text}
          </p>
          <div className="mt-2 flex flex-wrap gap-2">
            {help.kind === 'connection' ? (
              <ButtonLink to={`/?${new URLSearchParams(automationQuery(account))}`}>Webhook Manager</ButtonLink>
            ) : (
              <RuleButton
                act="switch"
                values={{ to: 'on' }}
                ruleId={rule.id}
                account={account}
                aria-label={`Start again: ${rule.name}`}
              >
                Start again
              </RuleButton>
            )}
          </div>
        </Notice>
      ) : null}
      {rule.preparing ? <Notice tone="accent">{PREPARING}</Notice> : null}
      {rule.openBlanks.length > 0 ? (
        <Notice tone="attention" title="Fill in what is still open, then it can be switched on">
          <ul className="list-disc pl-5">
            {rule.openBlanks.map((blank) => (
              <li key={blank}>{blank}</li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {rule.asksAboutExisting && rule.openBlanks.length === 0 ? (
        <div className="grid justify-items-start text-label">
          <p className="text-ink-soft">Switched on, it leaves alone what matches already and acts on what comes new.</p>
          <RuleButton
            act="switch"
            values={{ to: 'on', existing: 'yes' }}
            ruleId={rule.id}
            account={account}
            variant="quiet"
            className="-ml-4"
          >
            Switch on, also for what matches already
          </RuleButton>
        </div>
      ) : null}
    </>
  )
}

function Facts({ rule }: { rule: RuleCardView }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-label">
      <Fact label="Trigger">{rule.trigger}</Fact>
      {rule.schedule === null ? null : (
        <Fact label="Schedule">
          {rule.schedule}
          {rule.nextRunAt === null ? null : (
            <span className="text-ink-soft">
              {' '}
              (next check <Time at={rule.nextRunAt} />)
            </span>
          )}
        </Fact>
      )}
      <Fact label="How often">{rule.often}</Fact>
      <Fact label="Executions">
        {rule.executionCount}
        {rule.lastExecutedAt === null ? null : (
          <span className="text-ink-soft">
            {' '}
            (last <Time at={rule.lastExecutedAt} />)
          </span>
        )}
      </Fact>
      <Fact label="Actions">{rule.actions.join(', ')}</Fact>
    </dl>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </>
  )
}

interface ButtonsProps extends Pick<RuleCardProps, 'rule' | 'account'> {
  pressed: RefObject<HTMLButtonElement>
}

function Buttons({ rule, account, pressed }: ButtonsProps) {
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <RuleButton
          ref={pressed}
          act="run"
          ruleId={rule.id}
          account={account}
          icon={Play}
          pendingLabel="Running…"
          aria-label={`Run Now: ${rule.name}`}
        >
          Run Now
        </RuleButton>
        <RuleButton act="preview" ruleId={rule.id} account={account} icon={Eye} aria-label={`Preview: ${rule.name}`}>
          Preview
        </RuleButton>
        <RuleButton
          act="backtest"
          ruleId={rule.id}
          account={account}
          icon={CalendarClock}
          aria-label={`The last 30 days: ${rule.name}`}
        >
          Last 30 days
        </RuleButton>
        {account.admin ? (
          <RuleButton
            act="check"
            ruleId={rule.id}
            account={account}
            icon={ClipboardCheck}
            aria-label={`Check Mode: ${rule.name}`}
          >
            Check Mode
          </RuleButton>
        ) : null}
        <AddressButton
          query={automationQuery(account, { step: 'edit', ruleId: rule.id })}
          anchor="rule-form"
          icon={Pencil}
          aria-label={`Edit ${rule.name}`}
        >
          Edit
        </AddressButton>
      </div>
      <div className="-mx-4 sm:-mx-5 flex flex-wrap border-line border-t pt-2">
        <CopyText
          step="json"
          ruleId={rule.id}
          account={account}
          text={rule.json}
          copied={RULE_COPIED}
          icon={Braces}
          aria-label={`Copy as JSON: ${rule.name}`}
        >
          Copy as JSON
        </CopyText>
        {rule.triggerUrl === null ? null : (
          <CopyText
            step="url"
            ruleId={rule.id}
            account={account}
            text={rule.triggerUrl}
            copied={URL_COPIED}
            icon={Link2}
            aria-label={`Copy trigger URL: ${rule.name}`}
          >
            Copy trigger URL
          </CopyText>
        )}
        <span className="ml-auto">
          <DeleteRule rule={rule} account={account} />
        </span>
      </div>
    </>
  )
}
