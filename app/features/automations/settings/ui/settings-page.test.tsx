import { Link, useActionData } from '@remix-run/react'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { AutomationSettings } from '#app/domain/automations/account-guards.ts'
import { hours } from '#app/lib/duration.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import { CustomerCard } from '../../history/ui/customer-card.tsx'
import type { SettingsForm } from '../automation-settings.ts'
import type { MetCustomer } from '../mute.ts'
import { SettingsPage, type SettingsPageProps } from './settings-page.tsx'

const TOM = '88888888-0000-4000-8000-00000000000b'
const DEFAULTS: AutomationSettings = {
  quietFrom: '20:00',
  quietTo: '08:00',
  quietWeekends: false,
  quietForAll: false,
  customerCooldownDays: 0,
  ruleDailyCap: 500,
  accountDailyCap: 1000,
  floodPerHour: 200,
  senderStaffUuid: null,
}
const FORM: SettingsForm = {
  quiet: 'asked',
  quietFrom: '20:00',
  quietTo: '08:00',
  quietWeekends: false,
  customerCooldownDays: '0',
  ruleDailyCap: '500',
  accountDailyCap: '1000',
  floodPerHour: '200',
  senderStaffUuid: '',
}

function propsOf(over: Partial<SettingsPageProps> = {}): SettingsPageProps {
  return {
    account: { accountUUID: 'account-1', admin: false },
    accountName: 'Smith & Sons Plumbing',
    timezone: SAMPLE_ZONE,
    now: SAMPLE_NOW,
    defaults: DEFAULTS,
    form: FORM,
    senders: { outcome: 'ok', staff: [{ uuid: TOM, label: 'Tom Finch' }] },
    mutes: [],
    moreMutes: 0,
    changes: [],
    refused: null,
    ...over,
  }
}

const MUTE = {
  id: 4,
  kind: 'company',
  recordUuid: 'c',
  name: 'Margaret Smith',
  until: null,
  createdAt: SAMPLE_NOW - hours(2),
  by: 'Tom Finch',
} as const

describe('the page of settings', () => {
  it('says what each limit does', () => {
    renderPage({ at: '/', page: () => <SettingsPage {...propsOf()} /> })
    expect(screen.getByText(/Messages to customers wait until quiet hours end/)).not.toBeNull()
    expect(screen.getByLabelText('From').getAttribute('value')).toBe('20:00')
    expect((screen.getByLabelText(/Only for automations that ask/) as HTMLInputElement).checked).toBe(true)
    const flood = screen.getByLabelText('Ask me above this many an hour')
    const hint = document.getElementById(flood.getAttribute('aria-describedby') ?? '')
    expect(hint?.textContent).toBe('For each automation. The rest waits for you in History.')
    expect(screen.getByText('No blocked customers')).not.toBeNull()
  })

  it('says a default where another value was saved', () => {
    renderPage({ at: '/', page: () => <SettingsPage {...propsOf({ form: { ...FORM, floodPerHour: '50' } })} /> })
    const flood = screen.getByLabelText('Ask me above this many an hour')
    const hint = document.getElementById(flood.getAttribute('aria-describedby') ?? '')
    expect(hint?.textContent).toContain('Default: 200.')
  })

  it('keeps in the tab what is typed, without network, too, until it is saved', async () => {
    const answers = [{ unreached: true, result: { formError: '', values: { act: 'save' } } }, null]
    const page = { at: '/', page: () => <SettingsPage {...propsOf()} />, action: async () => answers.shift() }
    const limit = () => screen.getByLabelText<HTMLInputElement>('Most customer messages a day, all together')
    const weekends = () => screen.getByLabelText<HTMLInputElement>(/^Saturday and Sunday/)
    const none = () => screen.getByLabelText<HTMLInputElement>(/^No quiet hours/)
    const shown = () => [limit().value, weekends().checked, none().checked]
    renderPage(page)
    fireEvent.input(limit(), { target: { value: '70' } })
    fireEvent.click(weekends())
    fireEvent.click(none())
    fireEvent.click(screen.getByRole('button', { name: 'Save settings' }))
    await screen.findByText('No connection. It may not have been done. Check, then try again.')
    screen.getByText('Changes not saved')
    cleanup()
    renderPage(page)
    await screen.findByText('Changes not saved')
    expect(shown()).toEqual(['70', true, true])
    fireEvent.click(screen.getByRole('button', { name: 'Save settings' }))
    await waitFor(() => expect(screen.queryByText('Changes not saved')).toBeNull())
    cleanup()
    renderPage(page)
    expect(shown()).toEqual(['1000', false, false])
  })

  it('gives what one person typed to nobody else', () => {
    const until = (person: string) => {
      const account = { accountUUID: 'account-1', admin: false, person }
      renderPage({ at: '/', page: () => <SettingsPage {...propsOf({ account })} /> })
      return screen.getByLabelText<HTMLInputElement>('Until')
    }
    fireEvent.input(until('ann'), { target: { value: '06:00' } })
    cleanup()
    expect(until('tom').value).toBe('08:00')
    cleanup()
    expect(until('ann').value).toBe('06:00')
    sessionStorage.clear()
  })

  it('restores nothing over what somebody saved meanwhile', () => {
    const page = (form: SettingsForm) => ({ at: '/', page: () => <SettingsPage {...propsOf({ form })} /> })
    const shown = () =>
      ['settings-floodPerHour', 'settings-ruleDailyCap'].map(
        (id) => (document.getElementById(id) as HTMLInputElement).value,
      )
    const typed = { 'settings-floodPerHour': '70', 'settings-ruleDailyCap': '9' }
    renderPage(page({ ...FORM, floodPerHour: '20' }))
    for (const [id, value] of Object.entries(typed))
      fireEvent.input(document.getElementById(id) as HTMLElement, { target: { value } })
    cleanup()
    renderPage(page({ ...FORM, floodPerHour: '100' }))
    expect(shown()).toEqual(['100', '9'])
    sessionStorage.clear()
  })

  it('marks what is not right beside its field and puts the focus on the first', async () => {
    const refused = {
      form: { ...FORM, ruleDailyCap: 'many', quietFrom: 'late' },
      opened: FORM,
      errors: { quietFrom: ['Enter the time as HH:MM, for example 20:00.'], ruleDailyCap: ['Enter a number.'] },
    }
    function Page() {
      const answered = useActionData<typeof refused>()
      return <SettingsPage {...propsOf()} refused={answered ?? null} />
    }
    renderPage({ at: '/', page: Page, action: async () => refused })
    fireEvent.change(screen.getByLabelText('Most customer messages a day, one automation'), {
      target: { value: 'many' },
    })
    fireEvent.click(screen.getByRole('button', { name: 'Save settings' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('From')))
    expect(screen.getByLabelText('From').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Enter a number.')).not.toBeNull()
    expect((screen.getByLabelText('Most customer messages a day, one automation') as HTMLInputElement).value).toBe(
      'many',
    )
  })

  it('gives a browser without scripts the focus and the values too', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const opened = { ...FORM, floodPerHour: '9' }
    const errors = { floodPerHour: ['Enter at least 1.'] }
    const refused = { form: { ...FORM, floodPerHour: '0' }, opened, errors }
    const html = renderToString(pageStub({ at: '/', page: () => <SettingsPage {...propsOf({ refused })} /> }))
    const page = new DOMParser().parseFromString(html, 'text/html')
    expect(page.querySelector('[autofocus]')?.getAttribute('name')).toBe('floodPerHour')
    expect(page.querySelectorAll('[autofocus]')).toHaveLength(1)
    expect(page.querySelector('form[method=post] input[name=act]')?.getAttribute('value')).toBe('save')
    const sent = page.querySelector('form[method=post] input[name=opened]')?.getAttribute('value')
    expect(JSON.parse(sent ?? '')).toEqual(opened)
  })

  it('keeps the sender that was chosen when ServiceM8 does not answer', () => {
    const senders = { outcome: 'unknown', message: 'The account is suspended.' } as const
    renderPage({
      at: '/',
      page: () => <SettingsPage {...propsOf({ senders, form: { ...FORM, senderStaffUuid: TOM } })} />,
    })
    const select = screen.getByLabelText('Staff messages and e-mail signatures') as HTMLSelectElement
    expect([select.value, select.selectedOptions[0]?.textContent]).toEqual([TOM, 'As chosen before'])
    expect(screen.getByText(/The account is suspended. Your choice stays/)).not.toBeNull()
  })

  it('lists whom nobody writes to, with who stopped it, and lets them be written to again', async () => {
    const sent: string[] = []
    renderPage({
      at: '/',
      page: () => (
        <SettingsPage {...propsOf({ mutes: [MUTE], changes: [{ at: SAMPLE_NOW, by: null, words: 'Set: x.' }] })} />
      ),
      action: async ({ request }: { request: Request }) => {
        sent.push(new URLSearchParams(await request.text()).toString())
        return null
      },
    })
    const muted = within(screen.getByRole('region', { name: 'No messages to' }))
    expect(muted.getByText('Margaret Smith')).not.toBeNull()
    expect(muted.getByText(/Tom Finch stopped this/).textContent).toContain('2 hours ago')
    const changes = within(screen.getByRole('region', { name: 'Who changed what' }))
    expect(changes.getByText(/A signed-in user/)).not.toBeNull()
    await act(async () => fireEvent.click(muted.getByRole('button', { name: 'Allow again: Margaret Smith' })))
    await waitFor(() => expect(sent).toEqual(['act=allow&mute=4']))
  })
})

describe('changes that are not saved', () => {
  it('are said, and asked about before the page is left; a press on Save settles them', async () => {
    const elsewhere = { path: '/elsewhere', Component: () => <p>Another page</p> }
    const page = () => (
      <>
        <SettingsPage {...propsOf()} />
        <Link to="/elsewhere">Away</Link>
      </>
    )
    renderPage({ at: '/', page, action: async () => null, routes: [elsewhere] })
    fireEvent.input(screen.getByLabelText('From'), { target: { value: '21:00' } })
    expect(screen.getByText('Changes not saved')).not.toBeNull()
    fireEvent.click(screen.getByRole('link', { name: 'Away' }))
    const asked = within(await screen.findByRole('alertdialog', { name: 'Leave without saving?' }))
    fireEvent.click(asked.getByRole('button', { name: 'Stay' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Save settings' })))
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Save settings' })))
    expect(screen.queryByText('Changes not saved')).toBeNull()
    fireEvent.click(screen.getByRole('link', { name: 'Away' }))
    expect(await screen.findByText('Another page')).not.toBeNull()
  })

  it('are left behind when the person says so', async () => {
    const page = () => (
      <>
        <SettingsPage {...propsOf()} />
        <Link to="/elsewhere">Away</Link>
      </>
    )
    renderPage({ at: '/', page, routes: [{ path: '/elsewhere', Component: () => <p>Another page</p> }] })
    fireEvent.input(screen.getByLabelText('Until'), { target: { value: '06:00' } })
    fireEvent.click(screen.getByRole('link', { name: 'Away' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Leave' }))
    expect(await screen.findByText('Another page')).not.toBeNull()
    cleanup()
    renderPage({ at: '/', page })
    expect([screen.getByLabelText<HTMLInputElement>('Until').value, sessionStorage.length]).toEqual(['08:00', 0])
  })
})

describe('where a customer is met', () => {
  const account = { accountUUID: 'account-1', admin: false }
  const card = (customers: MetCustomer[]) =>
    renderPage({ at: '/', page: () => <CustomerCard customers={customers} account={account} /> })

  it('nothing is offered when nobody is known', () => {
    card([])
    expect(screen.queryByRole('region', { name: 'The customer' })).toBeNull()
  })

  it('messages can be stopped, or allowed again', () => {
    card([{ uuid: 'c', name: 'Margaret Smith', mute: null, gotToday: '3 texts' }])
    expect(screen.getByText('Got 3 texts from automations today.')).not.toBeNull()
    const stop = screen.getByRole('button', { name: 'Stop messages to this customer' })
    expect(new FormData(stop.closest('form') ?? undefined).get('company')).toBe('c')
    expect(screen.getByRole('link', { name: 'Change quiet hours and limits' }).getAttribute('href')).toBe(
      '/automation/settings?accountUUID=account-1',
    )
  })

  it('an answer that messages wait for is said, with the way to decide', () => {
    card([{ uuid: 'c', name: 'Margaret Smith', mute: null, answered: '3126' }])
    expect(screen.getByText(/Messages wait: they answered about job 3126\./)).not.toBeNull()
    expect(screen.queryByText('Gets automatic messages.')).toBeNull()
    expect(screen.getByRole('link', { name: 'Go on or stop' }).getAttribute('href')).toBe(
      '/automation/runs?accountUUID=account-1#answers-title',
    )
  })

  it('who stopped them is said', () => {
    card([{ uuid: 'c', name: '', mute: MUTE }])
    expect(screen.getByText('This customer')).not.toBeNull()
    expect(screen.getByText(/Tom Finch stopped this/)).not.toBeNull()
    expect(screen.getByRole('button', { name: 'Allow again' })).not.toBeNull()
  })

  it.each([
    ['job', 'Gets no automatic messages about this job.'],
    ['number', 'Gets no automatic messages: the same number or address wrote STOP.'],
  ] as const)('a mute of the %s is said, too', (mutedBy, words) => {
    card([{ uuid: 'c', name: '', mute: MUTE, mutedBy }])
    expect(screen.getByText(words)).not.toBeNull()
    expect(screen.queryByText('Gets automatic messages.')).toBeNull()
  })
})
