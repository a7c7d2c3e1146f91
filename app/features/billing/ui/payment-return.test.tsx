import { fireEvent, screen, waitFor } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, it, vi } from 'vitest'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { PaymentReturn } from './payment-return.tsx'

const FORM = { intent: 'settle', payment_intent: 'pi_1', returned: 'yes' }

afterEach(() => vi.restoreAllMocks())

function stub(sent: unknown[]) {
  return {
    page: () => <PaymentReturn accountUUID="account-1" accountName="Smith & Sons" admin paymentId="pi_1" />,
    routes: [
      {
        path: '/subscription',
        action: async ({ request }: { request: Request }) => {
          sent.push([new URL(request.url).search, Object.fromEntries(await request.formData())])
          return null
        },
        Component: () => <p>Checked</p>,
      },
    ],
  }
}

it('asks by itself once somebody sees it, and once only', async () => {
  const sent: unknown[] = []
  const visible = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  renderPage(stub(sent))
  fireEvent(document, new Event('visibilitychange'))
  expect(screen.getByRole('button', { name: 'Check payment' })).toBeDefined()
  expect(sent).toEqual([])
  visible.mockReturnValue('visible')
  fireEvent(document, new Event('visibilitychange'))
  fireEvent(document, new Event('visibilitychange'))
  await waitFor(() => expect(screen.getByText('Checked')).toBeDefined())
  expect(sent).toEqual([['?accountUUID=account-1&admin=yes', FORM]])
})

it('has a button for readers without scripts', () => {
  // The router of the test is one for browsers.
  expectNoise(/useLayoutEffect does nothing on the server/)
  const page = document.createElement('div')
  page.innerHTML = renderToString(pageStub(stub([])))
  const form = page.querySelector('form')
  if (!form) throw new Error('the page has no form')
  expect([form.getAttribute('method'), form.getAttribute('action')]).toEqual([
    'post',
    '/subscription?accountUUID=account-1&admin=yes',
  ])
  expect(Object.fromEntries(new FormData(form))).toEqual(FORM)
  expect(form.querySelector('button')?.type).toBe('submit')
})
