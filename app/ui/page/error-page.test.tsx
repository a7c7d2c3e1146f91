import { useRouteError } from '@remix-run/react'
import { createRemixStub } from '@remix-run/testing'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import '#tests/support/page-stub.tsx'
import { ErrorPage, errorTitle } from './error-page.tsx'

afterEach(cleanup)

function Boundary() {
  return <ErrorPage error={useRouteError()} />
}

/** The page of a route that throws this. */
async function pageFor(thrown: unknown): Promise<string> {
  const Stub = createRemixStub([
    {
      path: '/',
      loader() {
        throw thrown
      },
      Component: () => null,
      ErrorBoundary: Boundary,
    },
  ])
  render(<Stub />)
  await screen.findByRole('heading', { level: 1 })
  return document.body.textContent ?? ''
}

describe('the page for what goes wrong', () => {
  it('is the 404 page of the specification', async () => {
    const page = await pageFor(new Response(null, { status: 404 }))
    screen.getByRole('heading', { level: 1, name: '404 Page Not Found' })
    expect(page).toContain('Did you forget to add the page to the router?')
  })

  it('has a title by what happened', () => {
    const refused = (status: number) => errorTitle({ status, statusText: '', internal: false, data: '' })
    expect([404, 403, 405, 413, 429, 500].map(refused)).toEqual([
      'Fieldhook: something is missing',
      ...Array.from({ length: 4 }, () => 'That did not work · Fieldhook'),
      'Something went wrong · Fieldhook',
    ])
    expect(errorTitle(new Error('secret detail'))).toBe('Something went wrong · Fieldhook')
  })

  it('says a refusal in the words it came with', async () => {
    const page = await pageFor(Response.json({ message: 'Only the office can see this.' }, { status: 403 }))
    screen.getByRole('heading', { level: 1, name: 'This page is not for your account' })
    expect(page).toContain('Only the office can see this.')
    expect(page).toContain('Nothing was changed.')
  })

  it('has words of its own for a refusal without any', async () => {
    expect(await pageFor(new Response(null, { status: 403 }))).toContain('Only an admin of this add-on can open it.')
  })

  it('never shows what the router says about files of ours', () => {
    const refused = { status: 405, statusText: '', internal: true, data: 'Error: no `action` for "routes/pages/x"' }
    const Stub = createRemixStub([{ path: '/', Component: () => <ErrorPage error={refused} /> }])
    render(<Stub />)
    screen.getByText('This page does not understand the request.')
    expect(document.body.textContent).not.toContain('routes/')
  })

  it('never shows what a fault was', async () => {
    const page = await pageFor(new Error('secret detail'))
    screen.getByRole('heading', { level: 1, name: 'Something went wrong on our side' })
    expect(page).not.toContain('secret detail')
    screen.getByRole('link', { name: 'Try again' })
  })

  it.each(['Failed to fetch', 'Load failed', 'NetworkError when attempting to fetch resource.'])(
    'says that the connection is gone: %s',
    async (words) => {
      const page = await pageFor(new TypeError(words))
      screen.getByRole('heading', { level: 1, name: 'No connection' })
      expect(page).not.toContain('on our side')
      expect(page).toContain('Check what you typed last: it may not be saved.')
      screen.getByRole('link', { name: 'Try again' })
    },
  )

  it('keeps the words of a failing server to itself', async () => {
    expect(await pageFor(new Response('stack trace', { status: 502 }))).not.toContain('stack trace')
  })
})
