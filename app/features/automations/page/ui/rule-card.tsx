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
import { lazy, Suspense, useEffect, useRef } from 'react'
import {
  type AutomationAccount,
  type AutomationStep,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { plural } from '#app/domain/time/moments.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Badge } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { ResultLine } from '#app/ui/result-line.tsx'
import { Time } from '#app/ui/time/time.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import type { SentenceParts } from '../../rules/sentence.ts'
import type { PageResult } from '../act-on-rule.ts'
import { cardPlace, PREPARING, pauseHelp, RULE_COPIED, URL_COPIED } from '../page-text.ts'
import type { RunDays } from '../run-days.ts'
import { CopyText, ShownText } from './copy-text.tsx'
import { DeleteRule, DeleteRuleQuestion } from './delete-rule.tsx'
import { RuleButton, RuleSwitch } from './rule-button.tsx'
import type { Pressed } from './rule-result.tsx'

const loadResult = async () => ({ default: (await import('./rule-result.tsx')).RuleResult })
const loadBlanks = async () => ({ default: (await import('./fill-blanks.tsx')).FillBlanks })

// The server has them loaded; a browser loads what it shows.
const FillBlanks = import.meta.env.SSR ? (await loadBlanks()).default : lazy(loadBlanks)
const RuleResult = import.meta.env.SSR ? (await loadResult()).default : lazy(loadResult)

export interface RuleCardProps {
  /** Who may replace the address of a rule, which is a secret key. */
  rights: OwnerRights
  rule: RuleCardView
  account: AutomationAccount
  step: AutomationStep
  result: PageResult | null
  /** What was typed beside the form and not used yet, without scripts; by name. */
  typed?: Readonly<Record<string, string>> | undefined
}

/** One rule of the list: its sentence, its status, and its actions. */
export function RuleCard({ rights, rule, account, step, result, typed }: RuleCardProps) {
  const id = ruleAnchor(rule.id)
  const heading = useRef<HTMLHeadingElement>(null)
  const buttons: Pressed = { run: useRef(null), preview: useRef(null), check: useRef(null) }
  const own = result !== null && 'ruleId' in result && result.ruleId === rule.id ? result : null
  // An address with this anchor moves the focus here; an answer to a press has it already.
  useEffect(() => {
    if (own === null && window.location.hash === `#${id}`) heading.current?.focus({ preventScroll: true })
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
      <ResultLine at={cardPlace(rule.id, 'switch')} />
      {rule.description === '' ? null : (
        <p className="wrap-anywhere whitespace-pre-line text-ink-soft text-label">{rule.description}</p>
      )}
      <Sentence parts={rule.sentence} />
      <Standing rule={rule} account={account} typed={typed} />
      <Facts rule={rule} />
      <Buttons rule={rule} account={account} pressed={buttons} />
      {own === null ? (
        <ResultLine at={cardPlace(rule.id)} />
      ) : (
        <Suspense fallback={null}>
          <RuleResult result={own} account={account} pressed={buttons} />
        </Suspense>
      )}
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
  const one = { ruleId: rule.id, account }
  switch (step.step) {
    case 'json':
      return (
        <ShownText
          id={`${id}-json`}
          label="The automation as JSON"
          hint="Copy it. Paste it under “Import Automation”, here or in another account."
          text={rule.json}
          rows={10}
          {...one}
        />
      )
    case 'url':
      return rule.triggerUrl === null ? null : (
        <ShownText
          id={`${id}-url`}
          label="Endpoint URL"
          hint="Send a POST request with job_uuid and date (YYYY-MM-DD). The address contains a key. Share it only with the system that calls it."
          text={rule.triggerUrl}
          rows={3}
          {...one}
        >
          <OwnerOnly
            accountUUID={account.accountUUID}
            note={ownerNote(rights, 'make a new address')}
            held={rights.refusal === 'fresh'}
          >
            {(held) => (
              <RuleButton {...held} act="new_url" {...one} variant="danger-quiet">
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
function Standing({ rule, account, typed }: Pick<RuleCardProps, 'rule' | 'account' | 'typed'>) {
  const one = { ruleId: rule.id, account }
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
              <RuleButton act="switch" values={{ to: 'on' }} {...one} of={rule.name}>
                Start again
              </RuleButton>
            )}
          </div>
        </Notice>
      ) : null}
      {rule.preparing ? <Notice tone="accent">{PREPARING}</Notice> : null}
      {rule.openBlanks.length > 0 ? (
        <Suspense fallback={null}>
          <FillBlanks rule={rule} account={account} typed={typed} />
        </Suspense>
      ) : null}
      {rule.asksAboutExisting && rule.openBlanks.length === 0 ? (
        <div className="grid justify-items-start text-label">
          <p className="text-ink-soft">Acts on records that match from now on.</p>
          <RuleButton act="switch" values={{ to: 'on', existing: 'yes' }} {...one} variant="quiet" className="-ml-4">
            Switch on, also for what matches already
          </RuleButton>
        </div>
      ) : null}
    </>
  )
}

/** The rest of the rule as small labels, then what it did. The sentence says how often and what. */
function Facts({ rule }: { rule: RuleCardView }) {
  const { trigger, schedule, nextRunAt, often, actions, executionCount, lastExecutedAt, days } = rule
  const labels = [trigger, schedule, often, actions.join(', ')].filter((one) => one !== null)
  return (
    <div className="grid gap-2">
      <ul aria-label="Details" className="flex flex-wrap gap-x-1 text-dense text-ink-soft">
        {labels.map((label, index) => (
          <li key={label} className="wrap-anywhere">
            {label}
            {index === labels.length - 1 && nextRunAt === null ? null : <span aria-hidden> ·</span>}
          </li>
        ))}
        {nextRunAt === null ? null : (
          <li>
            Next check <Time at={nextRunAt} as="next" />
          </li>
        )}
      </ul>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-label">
        <p>
          {executionCount === 0
            ? 'Has not started yet'
            : `Started ${executionCount === 1 ? 'once' : plural(executionCount, 'time')}`}
          {lastExecutedAt === null ? null : (
            <>
              , last <Time at={lastExecutedAt} />
            </>
          )}
        </p>
        {days === null ? null : <RunBars days={days} />}
      </div>
    </div>
  )
}

const STEP = 5
const HIGH = 20

/** The runs of the last 30 days, one bar a day, failures on top in red. Two paths, so it stays small. */
function RunBars({ days: { ran, failed, says } }: { days: RunDays }) {
  const most = Math.max(1, ...ran.map((count, index) => count + (failed[index] ?? 0)))
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / most) * HIGH)))
  const bars = (counts: readonly number[], below: readonly number[]) =>
    counts
      .map((count, index) => {
        const from = Math.max(tall(count), HIGH - tall(below[index] ?? 0))
        return count === 0 ? '' : `M${index * STEP + 2} ${from}v-${tall(count)}`
      })
      .join('')
  return (
    <svg role="img" aria-label={says} viewBox={`0 0 ${ran.length * STEP} ${HIGH}`} className="h-5 w-38 fill-none">
      <path d={`M0 ${HIGH - 0.5}h${ran.length * STEP}`} className="stroke-line" />
      <path d={bars(ran, [])} strokeWidth={4} className="stroke-working" />
      <path d={bars(failed, ran)} strokeWidth={4} className="stroke-failing" />
    </svg>
  )
}

interface ButtonsProps extends Pick<RuleCardProps, 'rule' | 'account'> {
  pressed: Pressed
}

function Buttons({ rule, account, pressed }: ButtonsProps) {
  const one = { ruleId: rule.id, account, of: rule.name }
  return (
    <>
      <div className="flex flex-wrap gap-2 max-sm:[&_svg]:hidden">
        <RuleButton ref={pressed.run} act="run" {...one} icon={Play} pendingLabel="Running…">
          Run Now
        </RuleButton>
        <RuleButton ref={pressed.preview} act="preview" {...one} icon={Eye}>
          Preview
        </RuleButton>
        <AddressButton
          query={automationQuery(account, { step: 'edit', ruleId: rule.id })}
          anchor="rule-form"
          icon={Pencil}
          aria-label={`Edit ${rule.name}`}
        >
          Edit
        </AddressButton>
        {account.admin ? (
          <RuleButton ref={pressed.check} act="check" {...one} icon={ClipboardCheck}>
            Check Mode
          </RuleButton>
        ) : null}
      </div>
      <div className="-mx-4 sm:-mx-5 flex flex-wrap border-line border-t pt-2 max-sm:[&_svg]:hidden">
        <RuleButton
          act="backtest"
          {...one}
          variant="quiet"
          icon={CalendarClock}
          aria-label={`The last 30 days: ${rule.name}`}
        >
          Last 30 days
        </RuleButton>
        <CopyText step="json" {...one} text={rule.json} copied={RULE_COPIED} icon={Braces}>
          Copy as JSON
        </CopyText>
        {rule.triggerUrl === null ? null : (
          <CopyText step="url" {...one} text={rule.triggerUrl} copied={URL_COPIED} icon={Link2}>
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
