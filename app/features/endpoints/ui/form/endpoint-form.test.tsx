import { redirect, useActionData } from '@remix-run/react'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { findObjectKind, OBJECT_TYPES, POLLED_TYPES } from '#app/domain/object-catalog.ts'
import { hasDraft } from '#app/ui/form/draft.ts'
import { KeptNote } from '#app/ui/page/kept-note.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import type { FormResult } from '../../form-result.ts'
import { NewAddress, NewWebhook } from './endpoint-form.tsx'

interface Options {
  admin?: boolean
  usedTypes?: readonly string[]
  result?: FormResult
  /** What the server does with the form; undefined = it was made. */
  answer?: (form: Record<string, string>) => FormResult | null
}

function renderForm({ admin = false, usedTypes = [], result, answer = () => null }: Options = {}) {
  const sent: Record<string, string>[] = []
  function Page() {
    const refused = useActionData<FormResult | null>()
    return (
      <NewWebhook
        account={{ accountUUID: 'account-1', admin }}
        usedTypes={usedTypes}
        result={(refused as FormResult | null) ?? result}
      />
    )
  }
  renderPage({
    page: () => <Page />,
    action: async ({ request }) => {
      const form = Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)]))
      sent.push(form)
      return answer(form)
    },
  })
  return sent
}

const url = () => screen.getByLabelText<HTMLInputElement>('Callback URL')
const object = () => screen.getByLabelText<HTMLSelectElement>('Object type')
const fields = () => screen.getByLabelText<HTMLInputElement>('Fields')
const create = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Create Webhook' })

/** What a control is described by, in the order it is read out. */
function described(control: HTMLElement): string {
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => document.getElementById(id)?.textContent).join(' | ')
}

const newForm = () => (
  <NewWebhook account={{ accountUUID: 'account-1', admin: false }} usedTypes={[]} result={undefined} />
)

afterEach(() => sessionStorage.clear())

describe('the form for a new webhook', () => {
  it('has a label and a hint on every control', () => {
    renderForm()
    screen.getByRole('region', { name: 'Create New Webhook' })
    expect(url().type).toBe('url')
    expect(url().required).toBe(false)
    expect(described(url())).toContain('Leave empty to watch them here.')
    expect(described(fields())).toContain('Every change. Pick fields to narrow it down.')
    expect(object().name).toBe('object')
  })

  it('offers only types that have no webhook yet', () => {
    renderForm({ usedTypes: ['job', 'note'] })
    const offered = [...object().options].filter((option) => option.value !== '').map((option) => option.value)
    expect(offered.toSorted()).toEqual(OBJECT_TYPES.filter((type) => !['job', 'note'].includes(type)).toSorted())
  })

  it('offers what the platform sends no webhooks for as checked every few minutes', () => {
    renderForm()
    const group = object().querySelector('optgroup')
    expect(group?.label).toBe('Checked every 5 minutes (ServiceM8 sends no webhooks for these)')
    expect([...(group?.querySelectorAll('option') ?? [])].map((option) => option.value)).toEqual([...POLLED_TYPES])
    expect([...object().options].filter((option) => option.disabled)).toEqual([])
  })

  it('says of a chosen one that we look for it ourselves', async () => {
    renderForm()
    const user = userEvent.setup()
    const sentence = 'ServiceM8 sends no webhooks for job contacts, so Fieldhook looks every 5 minutes.'
    expect(screen.queryByText(sentence)).toBeNull()
    await user.selectOptions(object(), 'jobcontact')
    expect(screen.getByText(sentence).closest('[role=status]')).not.toBeNull()
    await user.selectOptions(object(), 'job')
    expect(screen.queryByText(sentence)).toBeNull()
  })

  it("offers the platform's own fields of a polled object, and no groups", async () => {
    renderForm()
    await userEvent.setup().selectOptions(object(), 'jobcontact')
    await userEvent.setup().click(screen.getByText('Choose single fields'))
    const single = within(screen.getByRole('list', { name: 'Single fields' }))
    expect(single.getAllByRole('button').map((button) => button.textContent)).toEqual([
      ...(findObjectKind('jobcontact')?.watchFields ?? []),
    ])
    expect(screen.queryByText('Add a group of fields')).toBeNull()
  })

  it('is closed when every type has its webhook', () => {
    renderForm({ usedTypes: OBJECT_TYPES })
    expect(create().disabled).toBe(true)
    expect(described(object())).toContain('Every object type has its webhook already.')
  })

  it('stays open for an admin, who may name any type', () => {
    renderForm({ usedTypes: OBJECT_TYPES, admin: true })
    expect(create().disabled).toBe(false)
  })

  it('has the custom type for an admin only', () => {
    renderForm()
    expect(screen.queryByLabelText('Use custom object type')).toBeNull()
    expect(screen.queryByLabelText('Custom object type')).toBeNull()
  })

  it('sends what was typed', async () => {
    const user = userEvent.setup()
    const sent = renderForm({ admin: true })
    await user.type(url(), 'https://hooks.example.com/1')
    await user.selectOptions(object(), 'job')
    await user.type(fields(), 'status')
    await user.click(screen.getByLabelText('Use custom object type'))
    await user.type(screen.getByLabelText('Custom object type'), 'jobactivity')
    await user.click(create())
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toEqual({
      intent: 'create',
      accountUUID: 'account-1',
      callback_url: 'https://hooks.example.com/1',
      object: 'job',
      useCustom: 'on',
      customObject: 'jobactivity',
      // Choosing another kind of type clears the chosen fields.
      fields: '',
    })
  })

  it('starts afresh after the webhook was made', async () => {
    const user = userEvent.setup()
    const sent = renderForm()
    await user.type(url(), 'https://hooks.example.com/1')
    await user.selectOptions(object(), 'job')
    await user.click(create())
    await waitFor(() => expect(sent).toHaveLength(1))
    await waitFor(() => expect(url().value).toBe(''))
    expect(object().value).toBe('')
  })
})

describe('the fields', () => {
  it('are cleared when another type is chosen', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.selectOptions(object(), 'job')
    await user.type(fields(), 'status')
    await user.selectOptions(object(), 'note')
    expect(fields().value).toBe('')
  })

  it('stay when they were typed before the first type is chosen', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.type(fields(), 'status')
    await user.selectOptions(object(), 'job')
    expect(fields().value).toBe('status')
  })

  it('take a preset group: only those that are missing', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.selectOptions(object(), 'jobpayment')
    await user.type(fields(), 'note, custom_one')
    await user.click(screen.getByRole('button', { name: 'Payment Details' }))
    expect(fields().value).toBe('note, custom_one, amount, method, is_deposit')
    screen.getByRole('button', { name: 'Payment Details (added)' })
  })

  it('offer the presets of the chosen type', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.selectOptions(object(), 'job')
    const offered = [...screen.getByRole('group', { name: 'Add a group of fields' }).querySelectorAll('button')]
    expect(offered.map((button) => button.textContent)).toEqual([
      'Status Changes',
      'Payment Updates',
      'Scheduling',
      'Invoice Tracking',
      'Location Updates',
      'Basic Job Info',
    ])
  })

  it('can be picked one by one, and found by search', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.selectOptions(object(), 'job')
    await user.type(screen.getByLabelText('Search fields'), 'quote sent')
    await user.click(screen.getByRole('button', { name: 'quote_sent' }))
    expect(fields().value).toBe('quote_sent')
    expect(screen.getByRole('button', { name: 'quote_sent' }).getAttribute('aria-pressed')).toBe('true')
    expect(screen.queryByRole('button', { name: 'status' })).toBeNull()
  })

  it('go back to all with one press', async () => {
    const user = userEvent.setup()
    renderForm()
    await user.selectOptions(object(), 'job')
    await user.click(screen.getByRole('button', { name: 'Scheduling' }))
    await user.click(screen.getByRole('button', { name: 'Clear: all fields' }))
    expect(fields().value).toBe('')
  })
})

describe('what is wrong with the form', () => {
  it('is said at the field, on submit, and the first wrong field has the focus', async () => {
    const user = userEvent.setup()
    const sent = renderForm()
    await user.type(url(), 'not an address')
    // The check is fetched when the form is first touched.
    await import('./check-webhook-form.ts')
    await waitFor(async () => {
      await user.click(create())
      expect(url().getAttribute('aria-invalid')).toBe('true')
    })
    expect(described(url())).toContain('Must be a valid HTTPS URL')
    expect(described(object())).toContain('Object type is required')
    expect(document.activeElement).toBe(url())
    expect(sent.filter((form) => form.object !== '')).toEqual([])
  })

  it('goes away as soon as it is put right', async () => {
    const user = userEvent.setup()
    renderForm({
      result: {
        fieldErrors: { callback_url: ['Must be a valid HTTPS URL'] },
        values: { intent: 'create', callback_url: 'nowhere', object: 'job', fields: '' },
      },
    })
    expect(described(url())).toContain('Must be a valid HTTPS URL')
    await user.click(url())
    await import('./check-webhook-form.ts')
    await user.clear(url())
    await user.type(url(), 'https://hooks.example.com/1')
    await waitFor(() => expect(url().hasAttribute('aria-invalid')).toBe(false))
  })

  it('keeps everything that was typed when the server refuses', async () => {
    const user = userEvent.setup()
    const sent = renderForm({
      answer: (values) => ({ fieldErrors: {}, formError: 'No authentication credentials found', values }),
    })
    await user.type(url(), 'https://hooks.example.com/1')
    await user.selectOptions(object(), 'job')
    await user.click(screen.getByRole('button', { name: 'Scheduling' }))
    const typed = fields().value
    await user.click(create())
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('The webhook was not created')
    expect(alert.textContent).toContain('No authentication credentials found')
    expect(sent).toHaveLength(1)
    expect([url().value, object().value, fields().value]).toEqual(['https://hooks.example.com/1', 'job', typed])
  })

  it('is shown by this form only when it is about this form', () => {
    renderForm({ result: { fieldErrors: {}, formError: 'Not yours', values: { intent: 'delete', id: '3' } } })
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('keeps what was typed while another page is looked at, until it is sent', async () => {
    const user = userEvent.setup()
    const first = renderPage({ page: newForm })
    await user.type(url(), 'https://hooks.example.com/kept')
    await user.selectOptions(object(), 'job')
    await user.click(screen.getByRole('button', { name: 'Scheduling' }))
    first.unmount()
    renderPage({ page: newForm, action: async () => null })
    screen.getByText('We kept what you typed.')
    expect([url().value, object().value]).toEqual(['https://hooks.example.com/kept', 'job'])
    expect(fields().value).toContain('queue_expiry_date')
    await user.click(create())
    await waitFor(() => expect(url().value).toBe(''))
    expect(sessionStorage.length).toBe(0)
  })

  it('of another address holds what was typed, too, and opens with it', async () => {
    const account = { accountUUID: 'account-1', admin: false }
    const page = () => <NewAddress account={account} result={undefined} noRoom={null} />
    const name = () => screen.getByLabelText<HTMLInputElement>('Rule name')
    const first = renderPage({ page })
    await userEvent.type(name(), 'Accounting')
    first.unmount()
    renderPage({ page })
    await waitFor(() => expect(name().value).toBe('Accounting'))
    expect(name().closest('details')?.open).toBe(true)
  })

  it.each([
    [
      'the session was over',
      () => <KeptNote accountUUID="account-1" isKept={hasDraft} />,
      'We keep the unsaved text of this tab.',
    ],
    ['an error', () => <p>Something went wrong.</p>, 'Something went wrong.'],
  ])('sent to another page (%s), it holds what was typed', async (_why, Next, words) => {
    const user = userEvent.setup()
    const page = renderPage({
      page: newForm,
      action: () => redirect('/next'),
      routes: [{ path: '/next', Component: Next }],
    })
    await user.type(url(), 'https://hooks.example.com/kept')
    await user.selectOptions(object(), 'job')
    await user.click(create())
    await screen.findByText(words)
    page.unmount()
    renderForm()
    expect([url().value, sessionStorage.length]).toEqual(['https://hooks.example.com/kept', 1])
  })

  it('survives a draft that nobody can read', () => {
    sessionStorage.setItem('draft create-webhook  account-1', '{')
    renderForm()
    expect(url().value).toBe('')
  })

  it('is sent once, however often the button is pressed', async () => {
    const user = userEvent.setup()
    let finish = () => {}
    const sent: unknown[] = []
    renderPage({
      page: () => <NewWebhook account={{ accountUUID: 'account-1', admin: false }} usedTypes={[]} result={undefined} />,
      action: async () => {
        sent.push(1)
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        return null
      },
    })
    await user.selectOptions(object(), 'job')
    await user.click(create())
    const pending = await screen.findByRole('button', { name: 'Creating…' })
    expect(pending.getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(pending)
    fireEvent.click(pending)
    finish()
    await screen.findByRole('button', { name: 'Create Webhook' })
    expect(sent).toHaveLength(1)
  })
})
