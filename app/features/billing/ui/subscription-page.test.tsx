// Long: all that one page shows, in every state of a plan.
import { useActionData } from '@remix-run/react'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { days } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { installPretendStripe } from '#tests/support/pretend-stripe.ts'
import { expectNoise } from '#tests/support/quiet.ts'
import { PLAN_ZONE, samplePaidPlan, samplePlan, samplePlanView, TRIAL_BEGAN } from '#tests/support/sample-plans.ts'
import type { SubscriptionAnswer } from '../payment-answer.ts'
import { answerOfStart, refusal } from '../payment-answer.ts'
// Fetched on demand in the product.
import '#app/ui/toast/toaster.tsx'
import './card-form.tsx'
import { SubscriptionPage, type SubscriptionPageProps } from './subscription-page.tsx'

const AT = '/?accountUUID=account-1'

function propsOf(over: Partial<SubscriptionPageProps> = {}): SubscriptionPageProps {
  return {
    accountUUID: 'account-1',
    accountName: 'Smith & Sons Plumbing',
    timezone: PLAN_ZONE,
    admin: false,
    now: TRIAL_BEGAN,
    plan: samplePlanView(samplePlan()),
    payments: {
      mode: 'stripe',
      publishableKey: 'pk_sandbox_local',
      returnUrl: 'https://fieldhook.example.com/subscription?accountUUID=account-1',
    },
    rights: { refusal: null, owners: [] },
    answer: null,
    ...over,
  }
}

type Sent = Record<string, string>[]

function optionsOf(over: Partial<SubscriptionPageProps>, sent: Sent = []) {
  const props = propsOf(over)
  return {
    at: AT,
    page: () => <SubscriptionPage {...props} />,
    action: async ({ request }: { request: Request }) => {
      const form = await request.formData()
      sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
      return null
    },
  }
}

const open = (over: Partial<SubscriptionPageProps> = {}, sent: Sent = []) => renderPage(optionsOf(over, sent))

/** As a browser without scripts has it. */
function withoutScripts(over: Partial<SubscriptionPageProps>): string {
  // The router of the test is one for browsers.
  expectNoise(/useLayoutEffect does nothing on the server/)
  return renderToString(pageStub(optionsOf(over)))
}

const card = (name: string) => within(screen.getByRole('region', { name }))
const buttonsOf = (name: string) =>
  card(name)
    .queryAllByRole('button')
    .filter((button) => button.closest('.without-script') === null)
    .map((button) => button.textContent)

const QUOTE = answerOfStart('upgrade', {
  outcome: 'pay',
  clientSecret: 'pi_1_secret_x',
  amount: 500,
  currency: 'gbp',
  description: '£5.00 today. Your paid month starts now and your remaining 14 trial days end.',
})

const PROCESSED: SubscriptionAnswer = { kind: 'processing', paymentId: 'pi_1', toast: null }

afterEach(() => vi.unstubAllGlobals())

describe('the page', () => {
  it('has the four cards, and the way back', () => {
    open()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Subscription')
    expect(screen.getByRole('link', { name: 'Back to Dashboard' }).getAttribute('href')).toBe('/?accountUUID=account-1')
    card('Status').getByText('Trial')
    expect(card('Status').getByRole('meter', { name: 'Trial progress' }).getAttribute('aria-valuetext')).toBe(
      '0 of 14 days',
    )
    const bar = card('Usage').getByRole('meter', { name: 'Operations used' })
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuemax')]).toEqual(['312', '1000'])
    for (const [name, count] of [
      ['API calls', '120'],
      ['Webhooks received', '100'],
      ['Webhooks forwarded', '92'],
    ] as const) {
      expect(card('Usage').getByText(name).nextElementSibling?.textContent).toBe(count)
    }
    const pricing = screen.getByRole('region', { name: 'Pricing' }).textContent
    for (const words of [
      '£5 per month',
      '14-day free trial',
      '1,000 API calls included',
      '1,000 webhook operations included',
      'Both count together: 1,000 operations a month',
      'Unlimited webhook endpoints',
      'Additional usage at £0.005 per 1,000 operations',
    ]) {
      expect(pricing).toContain(words)
    }
    card('Usage').getByText(/API calls and webhook operations count together\./)
    expect(buttonsOf('Payment')).toEqual(['Upgrade Now - £5/month'])
    expect(screen.queryByText('Sandbox: no real payment')).toBeNull()
  })

  it('draws the operations of the period with the included ones and the pace', () => {
    open({ plan: samplePlanView(samplePaidPlan(), { now: TRIAL_BEGAN + days(10) }) })
    const line = card('Usage').getByRole('img')
    expect(line.getAttribute('aria-label')).toBe('312 of 1,000 operations, about 940 by 21 December 2026 at this pace.')
    expect(line.querySelectorAll('[stroke-dasharray]')).toHaveLength(2)
    cleanup()
    open({
      plan: { ...samplePlanView(samplePaidPlan()), usage: { ...samplePlanView(samplePaidPlan()).usage, curve: null } },
    })
    expect(card('Usage').queryByRole('img')).toBeNull()
  })

  it('fills the bar and shows the orange note above 1,000', () => {
    open({ plan: samplePlanView(samplePaidPlan(), { usage: { total: 1204 } }) })
    const bar = card('Usage').getByRole('meter')
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['1000', '1,204 of 1,000'])
    card('Usage').getByText("You've exceeded the base plan limit. Overage charges may apply.")
  })

  it('that cannot be loaded says so in a card and a message', async () => {
    open({ plan: null })
    card('Subscription Error').getByText('Unable to load subscription data')
    await screen.findByText('Error')
    expect(screen.queryByRole('region', { name: 'Payment' })).toBeNull()
  })

  it('offers by state what the specification lists, and what else helps', () => {
    const later = { now: TRIAL_BEGAN + days(15) }
    const states = [
      [samplePlanView(samplePlan(), { now: TRIAL_BEGAN + days(11) }), ['Subscribe Now - £5/month']],
      [samplePlanView(samplePlan(), later), ['Subscribe Now - £5/month']],
      [
        samplePlanView(samplePaidPlan(), later),
        [
          'Upgrade Early (Prorated)',
          'Upgrade Early (Full Price)',
          'Manage billing(opens in a new tab)',
          'Cancel subscription',
        ],
      ],
      [
        samplePlanView(samplePaidPlan({ cancelAtPeriodEnd: true }), later),
        ['Keep subscription', 'Manage billing(opens in a new tab)'],
      ],
      [
        samplePlanView(samplePaidPlan({ status: 'past_due', pastDueSince: TRIAL_BEGAN }), later),
        ['Pay now', 'Manage billing(opens in a new tab)', 'Cancel subscription'],
      ],
      [
        samplePlanView(samplePaidPlan({ status: 'canceled' }), later),
        ['Subscribe Now - £5/month', 'Manage billing(opens in a new tab)'],
      ],
    ] as const
    for (const [plan, labels] of states) {
      const { unmount } = open({ plan })
      expect(buttonsOf('Payment')).toEqual(labels)
      unmount()
    }
  })

  it('keeps an early month closed, with a sentence on what it is for', () => {
    const labels = ['Upgrade Early (Prorated)', 'Upgrade Early (Full Price)']
    open({ plan: samplePlanView(samplePaidPlan(), { now: TRIAL_BEGAN }) })
    const early = card('Payment').getByText('Start a new month early').closest('details')
    if (!early) throw new Error('there is nothing to open')
    expect(early.open).toBe(false)
    expect(
      within(early)
        .getAllByRole('button', { hidden: true })
        .filter((button) => button.closest('.without-script') === null)
        .map((button) => button.textContent),
    ).toEqual(labels)
    within(early).getByText(/^Your plan renews every month\./)
    // Out of a trial the one button is in sight.
    cleanup()
    open()
    expect(card('Payment').queryByText('Start a new month early')).toBeNull()
  })

  it('sends one wish, and shows that it is on its way', async () => {
    const sent: Sent = []
    open({}, sent)
    const button = card('Payment').getByRole('button', { name: 'Upgrade Now - £5/month' })
    fireEvent.click(button)
    await waitFor(() => expect(sent).toEqual([{ intent: 'upgrade' }]))
  })

  it('without card payments has buttons that cannot be pressed, and says why', () => {
    const payments = { ...propsOf().payments, mode: 'off' as const, publishableKey: null }
    open({ plan: samplePlanView(samplePlan(), { mode: 'off' }), payments })
    card('Payment').getByText('Card payments are not configured.')
    card('Payment').getByText('Nothing is limited: every webhook and automation keeps working.')
    expect((card('Payment').getByRole('button') as HTMLButtonElement).disabled).toBe(true)
  })

  it('keeps saying that a payment is being processed, offers no second one, and asks until the result is known', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const sent: Sent = []
    open({ answer: PROCESSED, plan: samplePlanView(samplePaidPlan()) }, sent)
    card('Payment').getByText('Your payment is being processed')
    expect(buttonsOf('Payment')).toEqual(['Check payment'])
    vi.advanceTimersByTime(6000)
    vi.useRealTimers()
    await waitFor(() => expect(sent).toEqual([{ intent: 'settle', payment_intent: 'pi_1' }]))
    card('Payment').getByText('Your payment is being processed')
  })

  it('announces a payment that is being processed once', async () => {
    const sent: Sent = []
    open({ answer: PROCESSED }, sent)
    const said = () => document.querySelector('[aria-live="polite"]')?.firstElementChild
    expect(said()?.textContent).toMatch(/^Your payment is being processed\. This page shows the result/)
    const once = said()
    fireEvent.click(card('Payment').getByRole('button', { name: 'Check payment' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    await waitFor(() => card('Payment').getByRole('button', { name: 'Check payment' }))
    expect(said()).toBe(once)
  })

  it('waits for an answer that takes long, and shows it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const asked: ((answer: SubscriptionAnswer) => void)[] = []
    const Answered = () => {
      const answer = useActionData<SubscriptionAnswer>()
      return <SubscriptionPage {...propsOf({ answer: answer ?? PROCESSED })} />
    }
    renderPage({
      at: AT,
      page: () => <Answered />,
      action: () => new Promise<SubscriptionAnswer>((answer) => asked.push(answer)),
    })
    for (let second = 0; second < 15; second++) await act(async () => vi.advanceTimersByTime(1000))
    vi.useRealTimers()
    expect(asked).toHaveLength(1)
    asked[0]?.({ kind: 'settled', toast: { kind: 'success', title: 'Payment Successful' } })
    await screen.findByText('Payment Successful')
  })

  it('says a refusal in the card as well as in a message', async () => {
    open({ answer: refusal('The payment service cannot be reached.') })
    card('Payment').getByRole('alert')
    await waitFor(() => expect(screen.getAllByText('The payment service cannot be reached.')).toHaveLength(2))
    await screen.findByText('Error')
  })

  it('offers a member nothing that would be refused, and says who pays', () => {
    for (const plan of [samplePlanView(samplePlan()), samplePlanView(samplePaidPlan())]) {
      open({ plan, rights: { refusal: 'owner', owners: ['Elin Hughes', 'Kim Doyle'] } })
      expect(card('Payment').queryAllByRole('button')).toEqual([])
      card('Payment').getByText('Owners can pay: Elin Hughes, Kim Doyle.')
      cleanup()
    }
    const ending = samplePlanView(samplePaidPlan({ cancelAtPeriodEnd: true }), { now: TRIAL_BEGAN + days(15) })
    open({ plan: ending, rights: { refusal: 'owner', owners: ['Elin Hughes'] } })
    card('Payment').getByText('Owners can keep the subscription: Elin Hughes.')
    cleanup()
    open({ rights: { refusal: 'unnamed', owners: [] } })
    card('Payment').getByText(/^Owners can pay\. The account page lists them\. If you are one, open Fieldhook from/)
  })

  it('in the sandbox says that no money moves', () => {
    open({ payments: { ...propsOf().payments, mode: 'sandbox' } })
    card('Payment').getByText('Sandbox: no real payment')
  })

  it('inside another page takes no card, and leads to a tab of its own', async () => {
    vi.stubGlobal('top', {})
    const sent: Sent = []
    open({}, sent)
    expect(buttonsOf('Payment')).toEqual(['Open the payment page'])
    // What it would cost is told all the same.
    card('Payment').getByText(/^£5.00 today for a month/)
    fireEvent.click(card('Payment').getByRole('button'))
    await waitFor(() => expect(sent).toEqual([{ intent: 'own_tab' }]))
  })

  it('inside another page posts the ticket into the new tab, and asks for another one after that', async () => {
    vi.stubGlobal('top', {})
    open({ answer: { kind: 'own_tab', ticket: 'one-time', toast: null }, plan: samplePlanView(samplePaidPlan()) })
    const go = card('Payment').getByRole('button', { name: 'Continue in a new tab' }) as HTMLButtonElement
    expect(document.activeElement).toBe(go)
    const form = go.form
    expect([form?.getAttribute('action'), form?.method, form?.target]).toEqual(['/launch', 'post', '_blank'])
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({ ticket: 'one-time', to: 'subscription' })
    // Nothing of the frame's page needs a cookie in the new tab: billing at the provider goes the same way.
    expect(buttonsOf('Payment')).toEqual(['Continue in a new tab', 'Manage billing', 'Cancel subscription'])
    if (form) fireEvent.submit(form)
    await waitFor(() => expect(buttonsOf('Payment')).not.toContain('Continue in a new tab'))
  })
})

describe('without scripts', () => {
  it('everything can be read and pressed, and the way out of a frame is told', () => {
    const html = withoutScripts({})
    for (const words of ['Your free trial has 14 days left.', '312 of 1,000', 'Open it in a tab of its own']) {
      expect(html).toContain(words)
    }
    expect(html).toMatch(/<form method="post"[^>]*>.*name="intent" value="upgrade"/)
  })

  it('the way out of a frame is a form with its ticket', () => {
    const html = withoutScripts({ answer: { kind: 'own_tab', ticket: 'one-time', toast: null } })
    expect(html).toMatch(/<form method="post" action="\/launch" target="_blank" rel="noopener"[^>]*>.*value="one-time"/)
    expect(html).toContain('Continue in a new tab')
  })

  it('the amount is shown, and that a card needs scripts', () => {
    const html = withoutScripts({ answer: QUOTE, plan: samplePlanView(samplePaidPlan()) })
    expect(html).toContain('Pay <!-- -->£5.00')
    expect(html).toContain('£5.00 today. Your paid month starts now and your remaining 14 trial days end.')
    expect(html).toContain('Entering a card needs JavaScript')
    expect(html).toContain('Manage billing')
    expect(html).not.toContain('pi_1_secret_x')
  })
})

describe('the card form', () => {
  const paying = async (answer: SubscriptionAnswer = QUOTE, sent: Sent = []) => {
    const shown = open({ answer }, sent)
    const pay = await screen.findByRole('button', { name: 'Pay £5.00' })
    await waitFor(() => expect((pay as HTMLButtonElement).disabled).toBe(false))
    return { ...shown, pay }
  }

  it('opens for the quote, is announced, and what was confirmed is looked up by the server', async () => {
    const stripe = installPretendStripe([{ paymentIntent: { id: 'pi_1', status: 'succeeded' } }])
    const sent: Sent = []
    const { pay } = await paying(QUOTE, sent)
    await screen.findByText('Upgrade Available')
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Pay £5.00' }))
    expect(buttonsOf('Payment')).toEqual(['Pay £5.00'])
    fireEvent.click(pay)
    await waitFor(() => expect(pay.textContent).toBe('Processing...'))
    fireEvent.click(pay)
    await waitFor(() => expect(sent).toEqual([{ intent: 'settle', payment_intent: 'pi_1' }]))
    expect(new Set(stripe.opened)).toEqual(new Set(['pi_1_secret_x']))
    expect(stripe.confirmed).toEqual([
      {
        confirmParams: { return_url: 'https://fieldhook.example.com/subscription?accountUUID=account-1' },
        redirect: 'if_required',
      },
    ])
  })

  it('says why a card was refused, and takes another one', async () => {
    const stripe = installPretendStripe([
      { error: { message: 'Your card was declined.' } },
      { paymentIntent: { id: 'pi_1', status: 'succeeded' } },
    ])
    const sent: Sent = []
    const { pay } = await paying(QUOTE, sent)
    fireEvent.click(pay)
    await screen.findByText('Payment Failed')
    await waitFor(() => expect(screen.getAllByText('Your card was declined.')).toHaveLength(2))
    expect(sent).toEqual([])
    fireEvent.click(pay)
    await waitFor(() => expect(sent).toEqual([{ intent: 'settle', payment_intent: 'pi_1' }]))
    expect(stripe.confirmed).toHaveLength(2)
  })

  it('does not call a card that is not filled in a failed payment', async () => {
    const stripe = installPretendStripe([], { checks: [{ message: 'Your card number is incomplete.' }] })
    const { pay } = await paying()
    fireEvent.click(pay)
    await screen.findByText('Your card number is incomplete.')
    expect(screen.queryByText('Payment Failed')).toBeNull()
    expect(stripe.confirmed).toEqual([])
  })

  it('that another tab was quicker to pay is no failure', async () => {
    const late = { error: { message: 'It has already succeeded.', code: 'payment_intent_unexpected_state' } }
    installPretendStripe([late], { latest: { id: 'pi_1', status: 'succeeded' } })
    const sent: Sent = []
    const { pay } = await paying(QUOTE, sent)
    fireEvent.click(pay)
    await waitFor(() => expect(sent).toEqual([{ intent: 'settle', payment_intent: 'pi_1' }]))
  })

  it('a payment that was given up elsewhere is not called paid', async () => {
    const late = { error: { message: 'It was canceled.', code: 'payment_intent_unexpected_state' } }
    installPretendStripe([late], { latest: { id: 'pi_1', status: 'canceled' } })
    const sent: Sent = []
    const { pay } = await paying(QUOTE, sent)
    fireEvent.click(pay)
    await screen.findByText('Payment Failed')
    expect(sent).toEqual([])
  })

  it('can be left, and the offers are back', async () => {
    installPretendStripe([])
    await paying()
    fireEvent.click(screen.getByRole('link', { name: 'Not now' }))
    expect(buttonsOf('Payment')).toEqual(['Upgrade Now - £5/month'])
  })

  it('that cannot be had says so, and that nothing was charged', async () => {
    open({ answer: QUOTE, payments: { ...propsOf().payments, publishableKey: null } })
    await screen.findByText('The card form could not be loaded')
    screen.getByText(/^Nothing was charged\./)
  })
})
