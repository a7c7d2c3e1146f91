import { useNavigation } from '@remix-run/react'
import { clsx } from 'clsx'
import { Activity, Plus, RefreshCw, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { type AccountPage, searchAddress } from '#app/domain/delivery-address.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { PERMISSIONS_MISSING, permissionsSentence } from '#app/features/accounts/permissions.ts'
import type { Millis } from '#app/lib/clock.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { ButtonLink, buttonStyles } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { ReconnectLink, ReconnectNotice } from '#app/ui/reconnect-notice.tsx'
import { AccountTimeProvider, usePresent } from '#app/ui/time/time.tsx'
import { accountHealth, inTrouble, needsAttention } from '../endpoint-status.ts'
import { calledOf, type DeletedView, type EndpointLine, type EndpointView, titleOf } from '../endpoint-view.ts'
import type { FirstStepView } from '../first-steps.ts'
import { type FormResult, resultFor } from '../form-result.ts'
import { UndoDelete } from './delete-webhook.tsx'
import { FirstStepsCard } from './first-steps-card.tsx'
import { FirstWebhook } from './first-webhook.tsx'
import { ForgetsAccepted, NewAddress, NewWebhook } from './form/endpoint-form.tsx'
import { cardId, type ManagerAccount, managerQuery, managerSearch } from './manager-address.ts'
import { Notices } from './notices.tsx'
import { QuickReference } from './quick-reference.tsx'
import { healthMark, ShowCard, statusMark } from './status-pills.tsx'
import { TroubleRows, WebhookCard, type WebhookCardProps } from './webhook-card.tsx'

const loadMail = async () => ({ default: (await import('./mail-settings.tsx')).MailSettings })

// At the end of the page, and closed: a browser loads it after the rest.
const MailSettings = import.meta.env.SSR ? (await loadMail()).default : lazy(loadMail)

export interface ManagerPageProps extends AccountPage, Pick<WebhookCardProps, 'step' | 'log' | 'replay' | 'logSource'> {
  /** Oldest first, as `rules`. */
  webhooks: EndpointView[]
  rules: EndpointView[]
  /** Rules without their own card, when there are many. */
  ruleLines?: EndpointLine[]
  /** Why no more addresses fit; null or missing when one does. */
  noRoom?: string | null
  /** What was just deleted, while it can be undone. */
  deleted?: DeletedView | null
  /** Last event of any object; null when there was none. */
  lastEventAt: Millis | null
  /** The next steps for a new user; empty or missing when there are none to show. */
  firstSteps?: FirstStepView[]
  /** A test address, set when the built-in stand-in plays the platform. */
  demoAddress?: string | null
  /** Why the account must reconnect, otherwise null. */
  reconnect?: string | null
  /** Permissions that are granted only by signing in again. */
  missingScopes?: readonly string[]
  /** The refusal of the form that was just submitted. */
  result?: FormResult
}

/** The webhook manager. */
export function ManagerPage(props: ManagerPageProps) {
  const { accountUUID, admin, person = '', webhooks, rules, ruleLines = [], deleted = null, result } = props
  const account: ManagerAccount = { accountUUID, admin, person }
  const creates = resultFor(result, 'create') !== null
  useListFocus(webhooks.map((webhook) => webhook.id))
  const total = webhooks.length + rules.length + ruleLines.length
  const { step, log, replay, logSource } = props
  // The card of an only one is open, right below.
  const rows = total === 1 ? [] : inTrouble([...webhooks, ...rules]).slice(0, MOST)
  const card = { account, step, log, replay, logSource, result, alone: total === 1 }
  return (
    <AccountTimeProvider now={props.now} zone={props.timezone}>
      <ForgetsAccepted account={account} result={result} />
      <PageHeader
        title="Webhook Manager"
        overline={props.accountName}
        actions={
          <>
            <ButtonLink to={searchAddress(account)} icon={Search}>
              Find a delivery
            </ButtonLink>
            {admin ? (
              <ButtonLink to={`/webhook-activity${managerSearch(account)}`} icon={Activity}>
                View Activity
              </ButtonLink>
            ) : null}
          </>
        }
        summary={
          <Health
            account={account}
            webhooks={webhooks}
            rules={rules}
            lines={ruleLines}
            rows={rows}
            lastEventAt={props.lastEventAt}
          />
        }
      />
      <Connection accountUUID={accountUUID} reconnect={props.reconnect ?? null} missing={props.missingScopes ?? []} />
      {deleted === null ? null : <UndoDelete deleted={deleted} account={account} />}
      <Notices account={account} said={rows.map(({ id }) => id)} />
      <FirstStepsCard steps={props.firstSteps ?? []} account={account} label={[...webhooks, ...rules][0]?.label} />
      {total === 0 ? (
        <div className="grid gap-4">
          <FirstWebhook account={account} result={result} demoAddress={props.demoAddress ?? null} />
          <section aria-label="Forwarding Rules">
            <NewAddress account={account} result={result} noRoom={props.noRoom ?? null} />
          </section>
          <Foot {...props} account={account} />
        </div>
      ) : (
        <div className="grid gap-4 lg:grid-cols-[22rem_minmax(0,1fr)] lg:grid-rows-[auto_1fr] lg:gap-x-6">
          {/* On a phone, the list comes first: “New webhook” opens the form, with the page's own address. */}
          <div
            id="new-webhook"
            className={clsx(
              'scroll-mt-4 lg:col-start-1 lg:row-start-1',
              webhooks.length > 0 && !creates && 'max-lg:hidden max-lg:target:block',
            )}
          >
            <NewWebhook account={account} usedTypes={webhooks.map((webhook) => webhook.objectType)} result={result} />
          </div>
          <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
            <section aria-labelledby="webhooks-title">
              <ListHeader account={account} ids={webhooks.map((webhook) => webhook.id)} />
              {webhooks.length === 0 ? null : (
                <ul className={`${cardStyles} divide-y divide-line`}>
                  {webhooks.map((webhook) => (
                    <li key={webhook.id} className="min-w-0">
                      <WebhookCard webhook={webhook} {...card} />
                    </li>
                  ))}
                </ul>
              )}
            </section>
            <RulesSection rules={rules} lines={ruleLines} noRoom={props.noRoom ?? null} {...card} />
          </div>
          <div className="lg:col-start-1 lg:row-start-2">
            <Foot {...props} account={account} />
          </div>
        </div>
      )}
    </AccountTimeProvider>
  )
}

/** What is needed rarely: closed, at the end. */
function Foot({ account, result, reconnect, missingScopes }: ManagerPageProps & { account: ManagerAccount }) {
  return (
    <div className={`${cardStyles} divide-y divide-line lg:self-start`}>
      <Suspense fallback={null}>
        <MailSettings account={account} result={result} />
      </Suspense>
      <QuickReference />
      {reconnect || missingScopes?.length ? null : (
        <p className="flex flex-wrap items-center gap-x-3 px-4 text-ink-soft text-label sm:px-5">
          Connected to ServiceM8.
          <ReconnectLink accountUUID={account.accountUUID} />
        </p>
      )}
    </div>
  )
}

/** Shows what requires a reconnect. Otherwise Reconnect stands below, because messages elsewhere name it. */
function Connection({ accountUUID, reconnect, missing }: ConnectionProps) {
  if (reconnect !== null) return <ReconnectNotice accountUUID={accountUUID} reason={reconnect} />
  if (missing.length === 0) return null
  return <ReconnectNotice accountUUID={accountUUID} title={PERMISSIONS_MISSING} reason={permissionsSentence(missing)} />
}

interface ConnectionProps {
  accountUUID: string
  reconnect: string | null
  missing: readonly string[]
}

interface HealthProps extends Pick<ManagerPageProps, 'webhooks' | 'rules' | 'lastEventAt'> {
  account: ManagerAccount
  lines: EndpointLine[]
  rows: EndpointView[]
}

/** How the account is, in one sentence; what is in trouble has a row each. */
function Health({ account, webhooks, rules, lines, rows, lastEventAt }: HealthProps) {
  const now = usePresent()
  const all = [...webhooks, ...rules, ...lines]
  const { tone, icon: Icon, worst } = healthMark<EndpointView | EndpointLine>(all)
  const more = all.filter((one) => needsAttention(one.status) && !rows.some(({ id }) => id === one.id))
  return (
    <div
      className={`flex items-start gap-2.5 rounded-control px-3.5 text-body ${tone === 'neutral' ? 'bg-surface' : toneStyles[tone]}`}
    >
      <Icon aria-hidden className="mt-4 size-5 shrink-0" />
      <div className="min-w-0 flex-1 py-1">
        {/* One row says it all. */}
        {rows.length === 1 && more.length === 0 ? null : (
          <div className="flex min-h-11 items-center gap-x-3">
            <p className="min-w-0 flex-1 wrap-anywhere py-2.5 font-medium">{accountHealth(all, lastEventAt, now)}</p>
            {worst && rows.length === 0 ? <ShowCard card={worst} account={account} /> : null}
          </div>
        )}
        <Suspense fallback={null}>
          <TroubleRows webhooks={rows} more={more} account={account} />
        </Suspense>
      </div>
    </div>
  )
}

/** Rows of trouble that one look takes in. */
const MOST = 5

/** After a webhook was created or deleted by keyboard, goes on with the new one, or with the heading of the list. */
function useListFocus(ids: readonly EndpointKey[]): void {
  const count = useRef(ids.length)
  useEffect(() => {
    const active = document.activeElement ?? document.body
    const lost = active === document.body
    const newest = ids.at(-1)
    if (ids.length > count.current && newest !== undefined) {
      // The form that was sent is empty again.
      const sent = lost || document.getElementById('new-webhook')?.contains(active) === true
      if (sent) document.getElementById(`${cardId(newest)}-title`)?.focus()
    } else if (lost && ids.length < count.current) {
      document.getElementById('webhooks-title')?.focus()
    }
    count.current = ids.length
  }, [ids])
}

/** Heading, Refresh, and on a phone the way to the form. */
function ListHeader({ account, ids }: { account: ManagerAccount; ids: EndpointKey[] }) {
  const navigation = useNavigation()
  const announce = useAnnounce()
  const pressed = useRef(false)
  const refreshing = navigation.state === 'loading' && pressed.current
  useEffect(() => {
    if (navigation.state !== 'idle' || !pressed.current) return
    pressed.current = false
    announce('The list of webhooks is up to date.')
  }, [navigation.state, announce])

  return (
    <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
      <h2 id="webhooks-title" tabIndex={-1} className="font-semibold text-title">
        Active Webhooks
      </h2>
      {ids.length > 0 ? (
        <a href="#new-webhook" className={buttonStyles({ variant: 'primary', className: 'ml-auto lg:hidden' })}>
          <Plus aria-hidden className="size-4" />
          New<span className="max-sm:sr-only"> webhook</span>
        </a>
      ) : null}
      <AddressButton
        query={managerQuery(account)}
        icon={RefreshCw}
        variant="quiet"
        pending={refreshing}
        onClick={() => {
          pressed.current = true
        }}
      >
        <span className="max-sm:sr-only">Refresh</span>
      </AddressButton>
    </div>
  )
}

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
    <section aria-labelledby="rules-title" className="mt-4 grid grid-cols-[minmax(0,1fr)] gap-2">
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
