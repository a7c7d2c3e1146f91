import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
// Fetched on demand in the product.
import '#app/ui/confirm-dialog.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleWebhook } from '#tests/support/sample-views.ts'
import { DeleteQuestion, DeleteWebhook } from './delete-webhook.tsx'

const ACCOUNT = { accountUUID: 'account-1', admin: false }
const WEBHOOK = sampleWebhook({ pending: 3, callbackUrl: 'https://hooks.example.com/a/very/long/path?with=much' })

function renderDelete(question = false, webhook = WEBHOOK) {
  const sent: Record<string, string>[] = []
  renderPage({
    page: () =>
      question ? (
        <DeleteQuestion webhook={webhook} account={ACCOUNT} />
      ) : (
        <DeleteWebhook webhook={webhook} account={ACCOUNT} />
      ),
    action: async ({ request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
  return sent
}

const button = () => screen.getByRole('button', { name: 'Delete Job webhook' })

describe('deleting a webhook', () => {
  it('asks first, and says what will happen', async () => {
    const user = userEvent.setup()
    const sent = renderDelete()
    await user.click(button())
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Delete the Job webhook?' }))
    dialog.getByText('Nothing about Job records will be sent to hooks.example.com any more.')
    dialog.getByText('3 waiting events are dropped.')
    dialog.getByText('You can undo it for 10 seconds.')
    expect(sent).toEqual([])
  })

  it('says that a great backlog goes on taking up room', () => {
    const room = 'For 10 minutes they still take up room for new events.'
    renderDelete(true, sampleWebhook({ pending: 1_000 }))
    screen.getByText(room)
    cleanup()
    renderDelete(true, sampleWebhook({ pending: 999 }))
    expect(screen.queryByText(room)).toBeNull()
  })

  it('without an address promises nothing for rules and automations', () => {
    renderDelete(true, sampleWebhook({ callbackUrl: '' }))
    screen.getByText(
      "This webhook's activity is no longer shown here. Forwarding rules and automations for Job records still get their events.",
    )
  })

  it('begins with the safe answer, and gives the focus back', async () => {
    const user = userEvent.setup()
    const sent = renderDelete()
    await user.click(button())
    await screen.findByRole('alertdialog')
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Keep it'))
    await user.click(screen.getByRole('button', { name: 'Keep it' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(button()))
    expect(sent).toEqual([])
  })

  it('closes with Escape', async () => {
    const user = userEvent.setup()
    renderDelete()
    await user.click(button())
    await screen.findByRole('alertdialog')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  })

  it('sends the webhook it is about', async () => {
    const user = userEvent.setup()
    const sent = renderDelete()
    await user.click(button())
    await user.click(await screen.findByRole('button', { name: 'Delete webhook' }))
    await waitFor(() => expect(sent).toEqual([{ intent: 'delete', id: '1', accountUUID: 'account-1' }]))
  })

  it('asks on the page itself without scripts: the button is a form, the question another', async () => {
    renderDelete()
    const form = button().closest('form')
    expect(form?.getAttribute('method')).toBe('get')
    expect(Object.fromEntries(new FormData(form ?? undefined))).toEqual({
      accountUUID: 'account-1',
      confirmDelete: '1',
    })
  })
})

describe('the question on the page', () => {
  it('has the focus, a way back, and the form that deletes', async () => {
    const user = userEvent.setup()
    const sent = renderDelete(true)
    expect(document.activeElement?.textContent).toBe('Delete the Job webhook?')
    expect(screen.getByRole('link', { name: 'Keep it' }).getAttribute('href')).toBe('/?accountUUID=account-1#webhook-1')
    await user.click(screen.getByRole('button', { name: 'Delete webhook' }))
    await waitFor(() => expect(sent).toHaveLength(1))
  })
})
