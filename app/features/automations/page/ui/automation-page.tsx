import { Form, Link } from '@remix-run/react'
import { clsx } from 'clsx'
import { House, ScrollText, Settings, ShieldCheck, Workflow } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import {
  type AutomationAccount,
  type AutomationStep,
  type AutomationTab,
  automationAddress,
  automationQuery,
  settingsAddress,
} from '#app/domain/automations/automation-address.ts'
import type { OwnerRights } from '#app/domain/people.ts'
import type { NoticeView } from '#app/features/notices/notice-view.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Badge } from '#app/ui/badge.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card, cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { controlStyles } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { ReconnectNotice } from '#app/ui/reconnect-notice.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { WayButton } from '../../form/ui/way-button.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import type { AutomationPageData, PageResult } from '../act-on-rule.ts'
import { IMPORT_FAILED, type ListTrouble, RULES_NOT_FETCHED } from '../page-text.ts'
import { UndoDelete } from './delete-rule.tsx'
import { ActFields, useWithDraft } from './rule-button.tsx'
import { RuleCard, type RuleCardProps } from './rule-card.tsx'

async function loadLogs() {
  return { default: (await import('../../history/ui/logs-dialog.tsx')).LogsDialog }
}

async function loadNotices() {
  return { default: (await import('./rule-notices.tsx')).RuleNotices }
}

// The server has them loaded and draws them; a browser loads what is wanted.
const LogsDialog = import.meta.env.SSR ? (await loadLogs()).default : lazy(loadLogs)
const RuleNotices = import.meta.env.SSR ? (await loadNotices()).default : lazy(loadNotices)

export interface AutomationPageProps extends AutomationPageData {
  /** From the address; part of every link and form. */
  accountUUID: string
  /** True when an admin opened the page in admin mode. */
  admin: boolean
  /** What automations and the account tell; newest first. */
  notices: NoticeView[]
  /** Deleted a moment ago: its deletion can be undone. */
  deleted?: { id: number; name: string } | null
  tab: AutomationTab
  step: AutomationStep
  result: PageResult | null
  /** Token of input that is not saved yet, without scripts; null = none. */
  draft?: string | null
  /** Why the lists of jobs and queues are empty, else null. */
  trouble: ListTrouble | null
  /** Why the account has to be reconnected, else null. */
  reconnect: string | null
  /** Who may replace the address of a rule, which is a secret key. */
  rights: OwnerRights
  /** The rule form and the content beside it; only on the first tab. */
  form?: (beside: ReactNode) => ReactNode
  /** Recipes to begin with, for an account without automations. */
  starters?: ReactNode
  /** Content of the other tabs: the library, the API test. */
  children?: ReactNode
}

/** The automations page around the rule form. */
export function AutomationPage(props: AutomationPageProps) {
  const { accountUUID, admin, rules, logs, tab, step, result, form, children } = props
  const account: AutomationAccount = { accountUUID, admin, ...(props.draft && { draft: props.draft }) }
  return (
    <AccountTimeProvider now={props.now} zone={props.timezone}>
      <PageHeader
        title="Automations"
        overline={props.accountName}
        actions={<Ways account={account} tab={tab} />}
        summary={
          admin ? (
            <div>
              <Badge tone="accent" icon={ShieldCheck}>
                Admin Mode
              </Badge>
            </div>
          ) : null
        }
      />
      {logs === null ? null : (
        <Suspense fallback={null}>
          <LogsDialog logs={logs} account={account} tab={tab} />
        </Suspense>
      )}
      {props.reconnect === null ? null : <ReconnectNotice accountUUID={accountUUID} reason={props.reconnect} />}
      {props.trouble && props.reconnect === null ? <Trouble trouble={props.trouble} account={account} /> : null}
      <Tabs account={account} tab={tab} />
      {tab === 'rules' && props.notices.length > 0 ? (
        <Suspense fallback={null}>
          <RuleNotices notices={props.notices} account={account} />
        </Suspense>
      ) : null}
      {tab === 'rules' && props.repeats.length > 0 ? <RepeatNotice names={props.repeats} account={account} /> : null}
      {tab === 'rules' ? <Limits limits={props.limits} month={props.month} account={account} /> : null}
      {tab === 'rules' && rules?.length === 0 ? props.starters : null}
      {tab === 'rules' ? (
        <FormPlace step={step}>
          {form?.(
            <>
              <ImportPanel account={account} result={result} />
              <RuleList
                rights={props.rights}
                rules={rules}
                deleted={props.deleted ?? null}
                account={account}
                step={step}
                result={result}
              />
            </>,
          )}
        </FormPlace>
      ) : (
        children
      )}
    </AccountTimeProvider>
  )
}

/** Form on the left, the rest on the right. Opening a rule in the form moves the focus there. */
function FormPlace({ step, children }: { step: AutomationStep; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const opened = step.step === 'edit' ? step.ruleId : step.step === 'copy' ? -step.templateId : null
  useEffect(() => {
    if (opened !== null) place.current?.focus({ preventScroll: true })
  }, [opened])
  return (
    <div
      id="rule-form"
      ref={place}
      tabIndex={-1}
      className="grid min-w-0 gap-5 rounded-card lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] lg:gap-6"
    >
      {children}
    </div>
  )
}

function Ways({ account, tab }: { account: AutomationAccount; tab: AutomationTab }) {
  const search = new URLSearchParams(automationQuery(account))
  // Only the first tab has a form with input to lose.
  const Way = tab === 'rules' ? WayButton : AddressButton
  return (
    <div className="max-sm:-ml-4 flex flex-wrap gap-x-2 max-sm:[&_svg]:hidden">
      <Way query={automationQuery(account, { step: 'logs' }, tab)} icon={ScrollText} variant="quiet">
        View Logs
      </Way>
      <ButtonLink to={settingsAddress(account)} icon={Settings} variant="quiet">
        Settings
      </ButtonLink>
      <ButtonLink to={`/?${search}`} icon={House} variant="quiet">
        Home
      </ButtonLink>
    </div>
  )
}

/** What went out this month; the limits that protect customers, with a link to change them. */
function Limits({ limits, month, account }: { limits: string; month: string; account: AutomationAccount }) {
  return (
    <p className="wrap-anywhere mb-4 flex flex-wrap items-center gap-x-2 text-label text-ink-soft">
      {month === '' ? null : <span className="text-ink">{month}</span>}
      <span>{limits}</span>
      <Link
        to={settingsAddress(account)}
        aria-label="Change quiet hours and limits"
        className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
      >
        Change
      </Link>
    </p>
  )
}

const TAB_LABELS: Record<AutomationTab, string> = {
  rules: 'Your Automations',
  templates: 'Template Library',
  api: 'API Testing',
}

/** Tabs are links, so each can be reloaded, bookmarked, and opened without scripts. */
function Tabs({ account, tab: open }: { account: AutomationAccount; tab: AutomationTab }) {
  const tabs = (['rules', 'templates', 'api'] as const).filter((tab) => tab !== 'api' || account.admin)
  return (
    <nav aria-label="Automations" className="mb-5 border-line border-b">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab} className="flex">
            <Link
              to={automationAddress(account, { step: 'none' }, tab)}
              aria-current={tab === open ? 'page' : undefined}
              preventScrollReset
              className={clsx(
                '-mb-px inline-flex min-h-11 items-center border-b-2 px-2 py-1 font-medium text-label leading-tight sm:px-3',
                tab === open ? 'border-accent text-accent' : 'border-transparent text-ink-soft hover:text-ink',
              )}
            >
              {TAB_LABELS[tab]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Trouble({ trouble, account }: { trouble: ListTrouble; account: AutomationAccount }) {
  return (
    <Notice tone="attention" className="mb-5">
      <p className="font-semibold">{trouble.words}</p>
      {trouble.said === '' ? null : <p className="mt-1">ServiceM8 said: {trouble.said}</p>}
      <ButtonLink to={`/?${new URLSearchParams(automationQuery(account))}`} variant="quiet" className="-ml-4">
        Webhook Manager
      </ButtonLink>
    </Notice>
  )
}

interface RuleListProps extends Omit<RuleCardProps, 'rule'> {
  rules: RuleCardView[] | null
  deleted: { id: number; name: string } | null
}

/** The list of rules. When a removed rule had the focus, the heading gets it. */
function RuleList({ rights, rules, deleted, account, step, result }: RuleListProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const length = rules?.length ?? 0
  const count = useRef(length)
  useEffect(() => {
    if (length < count.current && (document.activeElement ?? document.body) === document.body) heading.current?.focus()
    count.current = length
  }, [length])
  return (
    <section aria-labelledby="rules-title">
      <h2 id="rules-title" ref={heading} tabIndex={-1} className="mb-3 font-semibold text-title">
        Existing Automations
      </h2>
      {deleted === null ? null : <UndoDelete deleted={deleted} account={account} />}
      {rules === null ? (
        <Notice tone="failing" title={RULES_NOT_FETCHED}>
          They are safe and still run. Please load the page again in a moment.
        </Notice>
      ) : rules.length === 0 ? (
        <Card>
          <EmptyState icon={Workflow} title="No automations yet">
            Pick a recipe above.
          </EmptyState>
        </Card>
      ) : (
        <ul className="grid items-start gap-4">
          {rules.map((rule) => (
            <li key={rule.id} className="min-w-0">
              <RuleCard rights={rights} rule={rule} account={account} step={step} result={result} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const DISMISS = { act: 'repeats_told' }

/** Shown once to accounts that had automations before "how often" was visible: they work as before. */
export function RepeatNotice({ names, account }: { names: readonly string[]; account: AutomationAccount }) {
  const pending = useIsSending(DISMISS)
  const withDraft = useWithDraft(DISMISS)
  return (
    <Notice tone="attention" title="These automations can message a customer more than once" className="mb-5">
      <ul className="list-disc pl-5">
        {names.map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
      <p className="mt-1">They work as before. Edit one to choose “How often for the same record”.</p>
      <Form method="post" preventScrollReset className="mt-2">
        <ActFields account={account} values={DISMISS} />
        <Button {...withDraft} type="submit" pending={pending}>
          Dismiss
        </Button>
      </Form>
    </Notice>
  )
}

interface ImportPanelProps {
  account: AutomationAccount
  result: PageResult | null
}

/** Imports the JSON of "Copy as JSON", from here or elsewhere. */
function ImportPanel({ account, result }: ImportPanelProps) {
  const refused = result?.kind === 'import_refused' ? result : null
  // A rejected import redraws the panel, open and with the pasted text.
  const [canceled, setCanceled] = useState(0)
  const pending = useIsSending({ act: 'import' })
  return (
    <section aria-labelledby="import-title" className={`${cardStyles} px-4 py-1.5 sm:px-5`}>
      <h2 id="import-title" className="sr-only">
        Import Automation
      </h2>
      <Disclosure
        key={`${refused ? refused.message : ''}${canceled}`}
        summary="Import Automation"
        open={refused !== null}
      >
        <Form method="post" preventScrollReset className="grid gap-3 pt-1 pb-2">
          <ActFields account={account} values={{ act: 'import' }} />
          <Field
            id="import-json"
            label="Paste JSON"
            hint="Loads into the form as a new automation, switched off."
            errors={refused ? [`${IMPORT_FAILED}: ${refused.message}`] : []}
          >
            {(control) => (
              <textarea
                {...control}
                name="json"
                rows={6}
                required
                spellCheck={false}
                defaultValue={refused?.text ?? ''}
                className={controlStyles({ className: 'resize-y py-2 font-mono' })}
              />
            )}
          </Field>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" pending={pending}>
              Import
            </Button>
            <ButtonLink
              to={automationAddress(account)}
              onClick={() => setCanceled((count) => count + 1)}
              preventScrollReset
            >
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </Disclosure>
    </section>
  )
}
