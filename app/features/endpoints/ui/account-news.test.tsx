// Long: one table of what an owner is told, and what the page does about it.
import { Form, Link, useActionData } from '@remix-run/react'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { type EndpointNotice, mailSettingsView } from '#app/features/notices/notice-view.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW, SAMPLE_ZONE, sampleRule, sampleWebhook } from '#tests/support/sample-views.ts'
import type { EndpointView } from '../endpoint-view.ts'
import type { FormResult } from '../form-result.ts'
import type { AccountNews, CardNews } from '../notices/notice-view.ts'
import { AccountNewsProvider } from './account-news.tsx'
import { MailSettings } from './mail-settings.tsx'
import { Notices } from './notices.tsx'
import { WebhookCard } from './webhook-card.tsx'

const ACCOUNT = { accountUUID: 'account-1', admin: false }

// What was typed is kept until an answer came, and a test may end before.
afterEach(() => sessionStorage.clear())

function step(over: Partial<CheckStep> = {}): CheckStep {
  return { name: 'address', verdict: 'ok', sentence: 'Address allowed.', fix: null, ...over }
}

function notice(over: Partial<EndpointNotice> = {}): EndpointNotice {
  return {
    id: 7,
    card: 1,
    automationId: null,
    kind: 'failing',
    name: 'Job webhook',
    what: 'started failing',
    title: 'Job webhook started failing',
    count: 1,
    runId: null,
    sentence: 'Your address answered 404. Is the scenario switched on?',
    since: SAMPLE_NOW - minutes(20),
    at: SAMPLE_NOW - minutes(5),
    mail: 'E-mail sent to office@example.com.',
    ...over,
  }
}

interface Options {
  said?: ComponentProps<typeof Notices>['said']
  notices?: EndpointNotice[]
  card?: Partial<CardNews>
  mail?: Partial<AccountNews['mail']>
  webhook?: EndpointView
  result?: FormResult
}

function Page({ said, notices = [], card, mail = {}, webhook = sampleWebhook(), result }: Options) {
  const news: AccountNews = {
    notices,
    mail: { ...mailSettingsView(DEFAULT_MAIL_CHOICE, null), ...mail },
    byCard: card ? { [webhook.id]: { check: null, upstream: null, silence: null, ...card } } : {},
  }
  return (
    <AccountNewsProvider news={news}>
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <Notices account={ACCOUNT} said={said} />
        <WebhookCard
          alone
          webhook={webhook}
          account={ACCOUNT}
          step={{ step: 'none' }}
          log={null}
          replay={null}
          logSource="/log"
          result={result}
        />
        <MailSettings account={ACCOUNT} result={result} />
      </AccountTimeProvider>
    </AccountNewsProvider>
  )
}

function renderNews(options: Options = {}): Record<string, string>[] {
  const sent: Record<string, string>[] = []
  renderPage({
    page: () => <Page {...options} />,
    action: async ({ request }) => {
      const form = await request.formData()
      sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
  return sent
}

const onTop = () => screen.getByRole('region', { name: 'Notices' })
const onCard = () => screen.getByRole('article')
const press = (name: string | RegExp, within_ = onCard()) =>
  userEvent.click(within(within_).getByRole('button', { name }))

describe('notices', () => {
  it('stand on top with a way to the card, and on the card with everything they say', () => {
    renderNews({ notices: [notice()] })
    within(onTop()).getByText('Job webhook started failing')
    within(onTop()).getByText('20 minutes ago')
    expect(within(onTop()).getByRole('link', { name: /^Show/ }).getAttribute('href')).toBe(
      '?accountUUID=account-1&card=1#webhook-1',
    )
    within(onCard()).getByText('Your address answered 404. Is the scenario switched on?')
    within(onCard()).getByText('E-mail sent to office@example.com.')
  })

  it('do not repeat what the status of the card says at present', () => {
    renderNews({ notices: [notice()], webhook: sampleWebhook({ status: 'failing', failingSince: SAMPLE_NOW }) })
    within(onCard()).getByText('Job webhook started failing')
    expect(within(onCard()).queryByText('Your address answered 404. Is the scenario switched on?')).toBeNull()
  })

  it('are only on the card while the line at the top has a row about it', () => {
    renderNews({ said: [1], notices: [notice(), notice({ id: 8, card: 2, title: 'Note webhook started failing' })] })
    within(onCard()).getByRole('button', { name: 'Dismiss: Job webhook started failing' })
    expect(within(onTop()).getAllByRole('listitem')).toHaveLength(1)
    within(onTop()).getByText('Note webhook started failing')
  })

  it('of a card that works again are on top', () => {
    renderNews({ said: [1], notices: [notice({ kind: 'recovered', title: 'Job webhook works again' })] })
    within(onTop()).getByText('Job webhook works again')
  })

  it('are dismissed from either place', async () => {
    const sent = renderNews({ notices: [notice()] })
    await press('Dismiss: Job webhook started failing', onTop())
    await press('Dismiss: Job webhook started failing')
    await waitFor(() => expect(sent).toHaveLength(2))
    expect(sent[0]).toEqual({ intent: 'dismiss_notice', notice: '7', accountUUID: 'account-1' })
  })

  it('about a rule stand on its card', () => {
    renderNews({ webhook: sampleRule(), notices: [notice({ card: 'rule-1', kind: 'recovered', mail: null })] })
    within(onCard()).getByText('Job webhook started failing')
    expect(within(onTop()).getByRole('link', { name: /^Show/ }).getAttribute('href')).toBe(
      '?accountUUID=account-1&card=rule-1#rule-1',
    )
  })

  it('take no room when there are none, and stand on no other card', () => {
    renderNews()
    expect(screen.queryByRole('region', { name: 'Notices' })).toBeNull()
  })

  it('has the first twenty on top, and each of them on its card', () => {
    const notices = Array.from({ length: 25 }, (_, n) => notice({ id: 50 - n, card: 25 - n }))
    renderPage({ page: () => <Page notices={notices} /> })
    expect(within(onTop()).getAllByRole('listitem')).toHaveLength(21)
    within(onTop()).getByText('And 5 more, each on its card.')
    // The oldest is that of the card.
    expect(within(screen.getByRole('article')).getAllByRole('button', { name: /^Dismiss/ })).toHaveLength(1)
  })

  it('about another card are not on this one', () => {
    renderNews({ notices: [notice({ card: 2 })] })
    expect(within(onCard()).queryByText('Job webhook started failing')).toBeNull()
    within(onTop()).getByText('Job webhook started failing')
  })
})

describe('the check of an address', () => {
  const steps = [
    step(),
    step({
      name: 'connection',
      verdict: 'fail',
      sentence: 'The server refused the connection.',
      fix: 'Is it running?',
    }),
    step({ name: 'answer', verdict: 'skipped', sentence: 'Not checked: the step before did not work.' }),
    step({ name: 'latest', verdict: 'warn', sentence: 'It redirects.' }),
  ]

  it('is asked for with a button, by the key of the card', async () => {
    const sent = renderNews()
    await press('Check this address: Job webhook')
    await waitFor(() => expect(sent).toEqual([{ intent: 'check_address', id: '1', accountUUID: 'account-1' }]))
  })

  it('is not offered without an address', () => {
    renderNews({ webhook: sampleWebhook({ callbackUrl: '' }) })
    expect(within(onCard()).queryByRole('button', { name: /^Check this address/ })).toBeNull()
  })

  it('is one path on which only what is broken explains itself', () => {
    renderNews({ card: { check: { at: SAMPLE_NOW - hours(3), steps } } })
    const summary = within(onCard()).getByText(/^Address checked/).parentElement
    expect(summary?.textContent).toContain('3 hours ago: The server refused the connection. Is it running?')
    const path = within(onCard()).getByText('Connect').closest('ol')
    expect([...(path?.children ?? [])].map((dot) => dot.textContent)).toEqual([
      'Address OK',
      'Connect Problem',
      'Answer Not checked',
    ])
    within(onCard()).getByText('It redirects.')
    expect(within(onCard()).queryByText('Address allowed.')).toBeNull()
  })

  it.each([
    [hours(3), true],
    [hours(25), false],
  ])('that found nothing %i ms ago is shown: %s', (passed, shown) => {
    renderNews({ card: { check: { at: SAMPLE_NOW - passed, steps: [step()] } } })
    expect(within(onCard()).queryByText(/Your address can be reached and answers\./) !== null).toBe(shown)
  })
})

describe('the side of the platform', () => {
  const silence = { since: SAMPLE_NOW - hours(26), sentence: 'No events for 26 hours, usually about 40 a day.' }

  it('says that silence is unusual, and offers to compare', async () => {
    const sent = renderNews({ card: { silence } })
    within(onCard()).getByText(silence.sentence)
    await press('Compare with ServiceM8 now: Job webhook')
    await waitFor(() => expect(sent).toEqual([{ intent: 'compare', id: '1', accountUUID: 'account-1' }]))
  })

  it('offers it where nothing comes, and otherwise under More', () => {
    renderNews({ webhook: sampleWebhook({ status: 'unsubscribed' }) })
    expect(within(onCard()).getAllByRole('button', { name: /^Compare with ServiceM8 now/ })).toHaveLength(1)
  })

  it.each(['working', 'unsubscribed'] as const)('has nothing to compare for an object we poll: %s', (status) => {
    const polling = { lastOkAt: null, nextAt: SAMPLE_NOW, problem: null }
    renderNews({ webhook: sampleWebhook({ status, polling }) })
    expect(within(onCard()).queryByRole('button', { name: /^Compare with ServiceM8 now/ })).toBeNull()
  })

  it('shows what comparing found', () => {
    const sentence = 'Subscribed again: ServiceM8 no longer listed it.'
    renderNews({ card: { upstream: { verdict: 'warn', sentence, at: SAMPLE_NOW - minutes(9) } } })
    expect(within(onCard()).getByText(new RegExp(sentence)).textContent).toBe(`9 minutes ago: ${sentence}`)
  })
})

describe('notices by e-mail', () => {
  const form = () => screen.getByRole('region', { name: 'Notices by e-mail' })

  it('say that a lost sign-in and a failed payment belong together', () => {
    renderNews()
    const box = within(form()).getByLabelText<HTMLInputElement>(/sign-in, permission or payment/)
    expect(box.name).toBe('topic_account')
  })

  it('are on, to the address of the platform, until something else is chosen', async () => {
    const sent = renderNews()
    const box = within(form()).getByLabelText<HTMLInputElement>('Tell me by e-mail when something needs me')
    expect(box.checked).toBe(true)
    await userEvent.click(box)
    await userEvent.type(within(form()).getByLabelText('E-mail address'), 'me@example.com')
    await press('Save: notices by e-mail', form())
    await waitFor(() =>
      expect(sent).toEqual([
        {
          ...{ intent: 'mail_settings', accountUUID: 'account-1', email: 'me@example.com', all: 'yes' },
          ...{ topic_failing: 'yes', topic_waiting: 'yes', topic_silent: 'yes', topic_account: 'yes' },
          ...{ topic_webhooks: 'yes', holidaysOff: 'yes', closedDays: '' },
          // What it was opened with: only what differs is saved.
          opened: expect.stringMatching(/^\{"byMail":true,"email":"",.*"closedDays":""\}$/),
        },
      ]),
    )
  })

  it('say when changes are not saved, and ask before the page is left', async () => {
    const elsewhere = { path: '/elsewhere', Component: () => <p>Another page</p> }
    const page = () => (
      <>
        <Page />
        <Link to="/elsewhere">Away</Link>
      </>
    )
    renderPage({ page, action: async () => null, routes: [elsewhere] })
    await userEvent.type(within(form()).getByLabelText('E-mail address'), 'me@example.com')
    within(form()).getByText('Changes not saved')
    expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
    await userEvent.click(screen.getByRole('link', { name: 'Away' }))
    const asked = within(await screen.findByRole('alertdialog', { name: 'Leave without saving?' }))
    await userEvent.click(asked.getByRole('button', { name: 'Stay' }))
    const save = within(form()).getByRole('button', { name: 'Save: notices by e-mail' })
    await waitFor(() => expect(document.activeElement).toBe(save))
    await userEvent.click(save)
    await waitFor(() => expect(within(form()).queryByText('Changes not saved')).toBeNull())
    await userEvent.click(screen.getByRole('link', { name: 'Away' }))
    await screen.findByText('Another page')
  })

  it('say why they are not possible, with the way to allow them', () => {
    renderNews({ mail: { problem: 'ServiceM8 has not been allowed to send e-mails for Fieldhook.' } })
    within(form()).getByText('ServiceM8 has not been allowed to send e-mails for Fieldhook.')
    expect(
      within(form())
        .getByRole('link', { name: /^Sign in again/ })
        .getAttribute('href'),
    ).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
  })

  it('do not bother those who have switched them off', () => {
    renderNews({ mail: { byMail: false, problem: 'ServiceM8 is not connected.' } })
    expect(within(form()).queryByText('ServiceM8 is not connected.')).toBeNull()
  })

  it('keep what was typed when it is refused, with the error at the field', () => {
    renderNews({
      mail: { byMail: false, email: 'old@example.com' },
      result: {
        fieldErrors: { email: ['Enter one e-mail address, such as office@example.com'] },
        values: { intent: 'mail_settings', byMail: 'yes', email: 'me', opened: 'as first opened' },
      },
    })
    expect(form().querySelector<HTMLInputElement>('[name=opened]')?.value).toBe('as first opened')
    const field = within(form()).getByLabelText<HTMLInputElement>('E-mail address')
    expect(field.value).toBe('me')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(document.getElementById(`${field.id}-error`)?.textContent).toContain('Enter one e-mail address')
    within(form()).getByText('Changes not saved')
    expect(within(form()).getByLabelText<HTMLInputElement>(/^Tell me/).checked).toBe(true)
  })

  it('keep what was typed in the tab, opened, and say at the button that it was not sent', async () => {
    renderNews({ mail: { byMail: false, email: 'old@example.com' } })
    const field = () => within(form()).getByLabelText<HTMLInputElement>('E-mail address')
    const tick = () => within(form()).getByLabelText<HTMLInputElement>(/^Tell me/)
    fireEvent.click(tick())
    fireEvent.input(field(), { target: { value: 'me@example.com' } })
    cleanup()
    renderNews({ mail: { byMail: false, email: 'old@example.com' } })
    await within(form()).findByText('Changes not saved')
    expect([field().value, tick().checked, form().querySelector('details')?.open]).toEqual([
      'me@example.com',
      true,
      true,
    ])
    cleanup()
    const values = { intent: 'mail_settings', email: 'me@example.com' }
    renderNews({ result: { fieldErrors: {}, formError: 'No connection.', values } })
    within(form()).getByText('No connection.')
  })

  it.each([
    ['closedDays', {}],
    ['email', { email: ['Enter one e-mail address'] }],
  ])('begin at the first wrong field, %s', (name, others) => {
    renderNews({
      result: {
        fieldErrors: { ...others, closedDays: ['Write each day as 2026-12-24'] },
        values: { intent: 'mail_settings' },
      },
    })
    expect(document.activeElement?.getAttribute('name')).toBe(name)
  })

  it('keep what was refused when something else on the page is pressed, until it is saved', async () => {
    const answers = [{ values: { intent: 'mail_settings', email: 'me@here' } }, null, null]
    const Answered = () => {
      const result = useActionData<FormResult | null>()
      return (
        <>
          <Page {...(result && { result })} />
          <Form method="post">
            <button type="submit">Elsewhere</button>
          </Form>
        </>
      )
    }
    const action = async () => {
      const answer = answers.shift()
      return answer ? { ...answer, fieldErrors: { email: ['Enter one e-mail address'] } } : null
    }
    renderPage({ page: () => <Answered />, action })
    const field = () => within(form()).getByLabelText<HTMLInputElement>('E-mail address')
    await userEvent.type(field(), 'me@here')
    await press('Save: notices by e-mail', form())
    await within(form()).findByText('Enter one e-mail address')
    await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }))
    await waitFor(() => expect(answers).toHaveLength(1))
    await act(async () => {})
    expect(field().value).toBe('me@here')
    within(form()).getByText('Changes not saved')
    await press('Save: notices by e-mail', form())
    await waitFor(() => expect(within(form()).queryByText('Changes not saved')).toBeNull())
    expect(field().value).toBe('')
  })
})

it('a page without news draws nothing of it', () => {
  renderPage({
    page: () => (
      <>
        <Notices account={ACCOUNT} />
        <MailSettings account={ACCOUNT} result={undefined} />
      </>
    ),
  })
  expect(screen.queryAllByRole('button')).toEqual([])
  expect(screen.queryByText(/notice/i)).toBeNull()
})
