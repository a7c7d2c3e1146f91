import { Link, Outlet } from '@remix-run/react'
import { createRemixStub } from '@remix-run/testing'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useEffect } from 'react'
import { expect, it } from 'vitest'
// Warns of the router's next version once, before a test listens.
import '#tests/support/page-stub.tsx'
import { Announcer, PageAnnounced } from './announcer.tsx'

function Titled({ title }: { title: string }) {
  useEffect(() => {
    document.title = title
  })
  return <h1>{title}</h1>
}

function Frame() {
  return (
    <Announcer>
      <Link to="/history">History</Link>
      <Link to="/history?rule=3#runs">Runs of one</Link>
      <Outlet />
      <PageAnnounced />
    </Announcer>
  )
}

it('says which page a link of the navigation led to, and nothing of a search or of the first page', async () => {
  const Stub = createRemixStub([
    {
      path: '/',
      Component: Frame,
      children: [
        { index: true, Component: () => <Titled title="Webhook Manager" /> },
        { path: 'history', Component: () => <Titled title="Run history" /> },
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
})
