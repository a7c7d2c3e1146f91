// The pages that the product's messages refer to, in the states in which those messages appear.

import type { ReactElement } from 'react'
import type { Plan } from '#app/domain/plan.ts'
import { AuditLog } from '#app/features/audit/ui/audit-log.tsx'
import type { FormState } from '#app/features/automations/form/form-state.ts'
import { historyFormOf } from '#app/features/automations/history/history-form.ts'
import { runView } from '#app/features/automations/history/run-detail-view.ts'
import { HistoryPage, ListeningLine } from '#app/features/automations/history/ui/history-page.tsx'
import { RunPage } from '#app/features/automations/history/ui/run-page.tsx'
import { AutomationPage, type AutomationPageProps } from '#app/features/automations/page/ui/automation-page.tsx'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import type { SettingsErrors } from '#app/features/automations/settings/automation-settings.ts'
import { SettingsPage } from '#app/features/automations/settings/ui/settings-page.tsx'
import { answerOfStart } from '#app/features/billing/payment-answer.ts'
import { planNotice } from '#app/features/billing/plan-notice.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { SubscriptionPage, type SubscriptionPageProps } from '#app/features/billing/ui/subscription-page.tsx'
import { FIRST_STEPS } from '#app/features/endpoints/first-steps.ts'
import type { CardNews } from '#app/features/endpoints/notices/notice-view.ts'
import { AccountNewsProvider } from '#app/features/endpoints/ui/account-news.tsx'
import { ManagerPage, type ManagerPageProps } from '#app/features/endpoints/ui/manager-page.tsx'
import { ActivityPage } from '#app/features/events/ui/activity-page.tsx'
import { SearchPage } from '#app/features/events/ui/search-page.tsx'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { mailSettingsView } from '#app/features/notices/notice-view.ts'
import { days, minutes } from '#app/lib/duration.ts'
import { placesOf } from '#app/routes/places.ts'
import { AppFrame } from '#app/ui/page/app-frame.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { stagedForm } from './rule-form-stage.tsx'
import { EMPTY_FORM } from './sample-deliveries.ts'
import { PLAN_ZONE, samplePlan, samplePlanView, TRIAL_BEGAN } from './sample-plans.ts'
import { sampleCard } from './sample-rules.ts'
import { SAMPLE_RULE, sampleRun } from './sample-runs.ts'
import { NO_AUDIT_FILTER, SAMPLE_NOW, SAMPLE_ZONE, sampleRule, sampleWebhook } from './sample-views.ts'

/** The page of a person who reads `text`. */
export type Scene = (text: string) => ReactElement

const ACCOUNT = { accountUUID: 'account-1', admin: false }
const FRAME = { accountName: 'Smith & Sons Plumbing', timezone: SAMPLE_ZONE, now: SAMPLE_NOW }

/** `news` = the news of the first card. */
export function manager(over: Partial<ManagerPageProps> = {}, news: Partial<CardNews> = {}): ReactElement {
  const { webhooks = [sampleWebhook()] } = over
  const byCard = { [webhooks[0]?.id ?? 0]: { check: null, upstream: null, silence: null, ...news } }
  return (
    <AccountNewsProvider news={{ notices: [], mail: mailSettingsView(DEFAULT_MAIL_CHOICE, null), byCard }}>
      <ManagerPage
        {...FRAME}
        {...ACCOUNT}
        webhooks={webhooks}
        rules={[]}
        lastEventAt={SAMPLE_NOW - minutes(2)}
        step={{ step: 'none' }}
        log={null}
        replay={null}
        logSource="/log"
        {...over}
      />
    </AccountNewsProvider>
  )
}

/** The panel of a replay that would send nothing. */
export function replay(): ReactElement {
  const form = { since: '2025-11-20T15:12', status: 'failed', objectUuid: '' }
  return manager({
    step: { step: 'replay', webhookId: 1, form: null },
    replay: { webhookId: 1, form, errors: {}, count: 0 },
  })
}

/** A webhook, or a rule, with a problem described by `text`. */
export function inTrouble(state: 'stopped' | 'failing' | 'paused', what: 'webhook' | 'rule' = 'webhook'): Scene {
  return (text) => {
    const over = { state, status: state, statusMessage: text, missed: 2 } as const
    return what === 'webhook' ? manager({ webhooks: [sampleWebhook(over)] }) : manager({ rules: [sampleRule(over)] })
  }
}

/** A card whose address was just checked: one step has `text` as its advice. */
export function checked(state: 'active' | 'stopped' | 'failing'): Scene {
  return (text) =>
    manager(
      { webhooks: [sampleWebhook({ state })] },
      { check: { at: SAMPLE_NOW, steps: [{ name: 'answer', verdict: 'warn', sentence: 'It answered.', fix: text }] } },
    )
}

/** The first steps after creating one webhook with this address; null = no webhook yet. */
export function firstSteps(callbackUrl: string | null): ReactElement {
  const webhooks = callbackUrl === null ? [] : [sampleWebhook({ callbackUrl, lastEventAt: null })]
  const steps = FIRST_STEPS.map((step, place) => ({
    step,
    done: place < webhooks.length,
    next: place === webhooks.length,
  }))
  return manager({ webhooks, firstSteps: steps })
}

/** The frame of every page. */
export function frame(): ReactElement {
  return <AppFrame places={placesOf({ accountUUID: 'account-1', admin: false }, '/automation')}>{null}</AppFrame>
}

export function automations(over: Partial<AutomationPageProps> = {}): ReactElement {
  return (
    <AutomationPage
      {...FRAME}
      {...ACCOUNT}
      rules={[sampleCard()]}
      logs={null}
      limits=""
      notices={[]}
      month=""
      repeats={[]}
      tab="rules"
      step={{ step: 'none' }}
      result={null}
      rights={{ refusal: null, owners: [] }}
      trouble={null}
      reconnect={null}
      form={(beside) => beside as ReactElement}
      {...over}
    />
  )
}

export function ruleForm(state: FormState): ReactElement {
  return stagedForm(state)
}

export function settings(errors: SettingsErrors | null = null): ReactElement {
  const limits = { customerCooldownDays: 0, ruleDailyCap: 500, accountDailyCap: 1000, floodPerHour: 200 }
  const form = {
    quiet: 'all' as const,
    quietFrom: '20:00',
    quietTo: '20:00',
    quietWeekends: false,
    customerCooldownDays: '',
    ruleDailyCap: '',
    accountDailyCap: '',
    floodPerHour: '',
    senderStaffUuid: '',
  }
  return (
    <SettingsPage
      {...FRAME}
      account={ACCOUNT}
      defaults={{
        ...limits,
        quietFrom: '20:00',
        quietTo: '08:00',
        quietWeekends: false,
        quietForAll: false,
        senderStaffUuid: null,
      }}
      form={form}
      senders={{ outcome: 'ok', staff: [] }}
      mutes={[]}
      moreMutes={0}
      changes={[]}
      refused={errors && { form, opened: form, errors }}
    />
  )
}

const CUT = { before: ['This page does not exist.'] }

export function history(): ReactElement {
  const form = historyFormOf(new URLSearchParams())
  return (
    <HistoryPage
      {...FRAME}
      account={ACCOUNT}
      needsYou={0}
      form={form}
      errors={CUT}
      answers={[]}
      moreAnswers={false}
      listening={null}
      lines={null}
      next={null}
      isOlder={false}
      rules={[]}
      held={0}
    />
  )
}

/** A run about one or several customers. */
export function run(names: readonly string[]): ReactElement {
  const rule = { version: 4, deleted: false, definition: SAMPLE_RULE }
  const repeatable = { version: 3, customerMessages: 1, rule, today: SAMPLE_RULE }
  return (
    <RunPage
      {...FRAME}
      account={ACCOUNT}
      needsYou={0}
      run={runView(executionOf(sampleRun()), repeatable, null)}
      customers={names.map((name) => ({ uuid: name, name, mute: null }))}
    />
  )
}

export function search(): ReactElement {
  return (
    <SearchPage
      {...FRAME}
      {...ACCOUNT}
      form={EMPTY_FORM}
      errors={CUT}
      before=""
      logEnds=""
      answer={null}
      choices={{ webhooks: [], objects: [], fields: [] }}
      statuses={null}
      volume={[]}
    />
  )
}

export function audit(): ReactElement {
  return (
    <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
      <AuditLog
        carried={{ accountUUID: 'account-1' }}
        addressOf={() => '/account'}
        runTo={() => '/automation/runs'}
        form={NO_AUDIT_FILTER}
        errors={CUT}
        lines={null}
        next={null}
        isOlder={false}
        everybody={false}
        other={null}
      />
    </AccountTimeProvider>
  )
}

export function activity(): ReactElement {
  return <ActivityPage {...FRAME} {...ACCOUNT} logEnds="" items={[]} type="events" allRows={false} />
}

/** The time of all subscription scenes: a month after the trial, so that every hold applies. */
const LATER = TRIAL_BEGAN + days(45)
const CUSTOMER = { customerId: 'cus_1', subscriptionId: 'sub_1', priceId: 'price_1' }

/** A plan that is not paid for. */
export function heldPlan(status: 'trial' | 'past_due' | 'unpaid' | 'canceled' | 'new_word'): Plan {
  const pastDueSince = status === 'past_due' ? TRIAL_BEGAN : null
  return samplePlan(status === 'trial' ? {} : { ...CUSTOMER, status, trialEndsAt: TRIAL_BEGAN, pastDueSince })
}

/** `payments` off: this installation takes no payments. */
export function subscription(
  plan: Plan,
  payments: 'sandbox' | 'off' = 'sandbox',
  over: Partial<SubscriptionPageProps> = {},
) {
  return (
    <SubscriptionPage
      {...ACCOUNT}
      accountName={FRAME.accountName}
      timezone={PLAN_ZONE}
      now={LATER}
      plan={samplePlanView(plan, { now: LATER, mode: payments })}
      payments={{ mode: 'sandbox', publishableKey: null, returnUrl: 'https://fieldhook.example.com/subscription' }}
      rights={{ refusal: null, owners: [] }}
      answer={null}
      {...over}
    />
  )
}

/** The page for paying the amount owed. */
export function quote(): ReactElement {
  const answer = answerOfStart('pay_now', {
    outcome: 'pay',
    clientSecret: 'pi_1_secret_x',
    amount: 500,
    currency: 'gbp',
    description: '£5.00 today.',
  })
  return subscription(heldPlan('past_due'), 'sandbox', { answer })
}

/** The line above every page. */
export function planLine(plan: Plan): ReactElement {
  return <PlanNoticeLine {...ACCOUNT} notice={planNotice(plan, 'sandbox', LATER, PLAN_ZONE)} />
}

/** The history of an account whose connection may not read messages. */
export function receiptsRefused(): ReactElement {
  return <ListeningLine note="refused" accountUUID={ACCOUNT.accountUUID} />
}
