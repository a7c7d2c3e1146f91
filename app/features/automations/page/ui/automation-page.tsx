import { Link } from '@remix-run/react'
import { House, ScrollText, Settings, ShieldCheck } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import {
  type AutomationAccount,
  type AutomationStep,
  type AutomationTab,
  automationAddress,
  automationQuery,
  ruleAnchor,
  settingsAddress,
} from '#app/domain/automations/automation-address.ts'
import type { NoticeView } from '#app/features/notices/notice-view.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Badge } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { TabLink } from '#app/ui/page/tab-link.tsx'
import { ReconnectNotice } from '#app/ui/reconnect-notice.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { FORM } from '../../form/form-preview.ts'
import { WayButton } from '../../form/ui/way-button.tsx'
import type { AutomationPageData } from '../act-on-rule.ts'
import type { ListTrouble } from '../page-text.ts'
import type { RuleCardProps } from './rule-card.tsx'

const loadLogs = async () => ({ default: (await import('../../history/ui/logs-dialog.tsx')).LogsDialog })
const loadNotices = async () => ({ default: (await import('./rule-notices.tsx')).RuleNotices })
const loadRepeats = async () => ({ default: (await import('./rule-notices.tsx')).RepeatNotice })
const loadBeside = async () => ({ default: (await import('./beside-form.tsx')).BesideForm })

// The server has them loaded and draws them; a browser loads what is wanted, and the list after the form.
const LogsDialog = import.meta.env.SSR ? (await loadLogs()).default : lazy(loadLogs)
const RepeatNotice = import.meta.env.SSR ? (await loadRepeats()).default : lazy(loadRepeats)
const BesideForm = import.meta.env.SSR ? (await loadBeside()).default : lazy(loadBeside)
const RuleNotices = import.meta.env.SSR ? (await loadNotices()).default : lazy(loadNotices)

export interface AutomationPageProps extends AutomationPageData, Omit<RuleCardProps, 'rule' | 'account'> {
  /** From the address; part of every link and form. */
  accountUUID: string
  /** True when an admin opened the page in admin mode. */
  admin: boolean
  /** What automations and the account tell; newest first. */
  notices: NoticeView[]
  /** Deleted a moment ago: its deletion can be undone. */
  deleted?: { id: number; name: string } | null
  tab: AutomationTab
  /** Token of input that is not saved yet, without scripts; null = none. */
  draft?: string | null
  /** Why the lists of jobs and queues are empty, else null. */
  trouble: ListTrouble | null
  /** Why the account has to be reconnected, else null. */
  reconnect: string | null
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
      {tab === 'rules' && props.repeats.length > 0 ? (
        <Suspense fallback={null}>
          <RepeatNotice names={props.repeats} account={account} />
        </Suspense>
      ) : null}
      {tab === 'rules' ? <Limits limits={props.limits} month={props.month} account={account} /> : null}
      {tab === 'rules' && rules?.length === 0 ? props.starters : null}
      {tab === 'rules' ? (
        <FormPlace step={step}>
          {form?.(
            <Suspense fallback={null}>
              <BesideForm
                rights={props.rights}
                rules={rules}
                deleted={props.deleted ?? null}
                account={account}
                step={step}
                result={result}
                typed={props.typed}
              />
            </Suspense>,
          )}
        </FormPlace>
      ) : (
        children
      )}
    </AccountTimeProvider>
  )
}

/** Form on the left, the rest on the right. Opening a rule moves the focus to the form, leaving it back to its card. */
function FormPlace({ step, children }: { step: AutomationStep; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const opened = step.step === 'edit' ? step.ruleId : step.step === 'copy' ? -step.templateId : null
  const last = useRef(opened)
  useEffect(() => {
    const active = document.activeElement ?? document.body
    const left = active === document.body || document.getElementById(FORM)?.contains(active)
    if (opened !== null) place.current?.focus({ preventScroll: true })
    else if (left && last.current !== null) document.getElementById(`${ruleAnchor(last.current)}-title`)?.focus()
    last.current = opened
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

export const TAB_LABELS: Record<AutomationTab, string> = {
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
            <TabLink
              to={automationAddress(account, { step: 'none' }, tab)}
              current={tab === open}
              preventScrollReset
              className="-mb-px min-h-11 px-2 py-1 font-medium text-label leading-tight sm:px-3"
            >
              {TAB_LABELS[tab]}
            </TabLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Trouble({ trouble, account }: { trouble: ListTrouble; account: AutomationAccount }) {
  if (trouble.said === '') return <Notice tone="attention" title={trouble.words} className="mb-5" />
  return (
    <Notice tone="attention" title={trouble.words} className="mb-5">
      <p className="mt-1">ServiceM8 said: {trouble.said}</p>
      <ButtonLink to={`/?${new URLSearchParams(automationQuery(account))}`} variant="quiet" className="-ml-4">
        Webhook Manager
      </ButtonLink>
    </Notice>
  )
}
