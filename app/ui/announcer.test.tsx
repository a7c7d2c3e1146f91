import { Link, Outlet, useSearchParams } from '@remix-run/react'
import { createRemixStub } from '@remix-run/testing'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useLayoutEffect } from 'react'
import { expect, it } from 'vitest'
// Warns of the router's next version once, before a test listens.
import '#tests/support/page-stub.tsx'
import { Announcer, PageAnnounced } from './announcer.tsx'

function Titled({ title }: { title: string }) {
  // In the document before any effect, like the title of the product's pages.
  useLayoutEffect(() => {
    document.title = title
  })
  return <h1>{title}</h1>
}

function History() {
  const [query] = useSearchParams()
  return <Titled title={query.has('needsYou') ? 'Needs you' : 'Run history'} />
}

function Frame() {
  return (
    <Announcer>
      <PageAnnounced />
      <Link to="/history">History</Link>
      <Link to="/history?rule=3#runs">Runs of one</Link>
      <Link to="/history?needsYou">Needs you</Link>
      <Outlet />
    </Announcer>
  )
}

it('says which page or tab a link of the navigation led to, and nothing of a search or of the first page', async () => {
  const Stub = createRemixStub([
    {
      path: '/',
      Component: Frame,
      children: [
        { index: true, Component: () => <Titled title="Webhook Manager" /> },
        { path: 'history', Component: History },
      ],
    },
  ])
  render(<Stub future={{ v3_relativeSplatPath: true, v3_singleFetch: true, v3_fetcherPersist: true }} />)
  const said = () => document.querySelector('[aria-live="polite"]')?.firstElementChild
  const user = userEvent.setup()
  expect(said()?.textContent).toBe('')
  await user.click(screen.getByRole('link', { name: 'History' }))
  await waitFor(() => expect(said()?.textContent).toBe('Run history'))
  const once = said()
  await user.click(screen.getByRole('link', { name: 'Runs of one' }))
  await new Promise((done) => setTimeout(done, 20))
  expect(said()).toBe(once)
  await user.click(screen.getByRole('link', { name: 'Needs you' }))
  await waitFor(() => expect(said()?.textContent).toBe('Needs you'))
})
