import { cleanup, fireEvent, screen } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Flash } from '#app/lib/flash.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import type { GateState } from '../gate.ts'
import { Gate } from './gate.tsx'

function renderGate(state: GateState, accountUUID = 'account-1', problem?: string, token = 'flow', proved = false) {
  const shown = { state, accountUUID, token, proved, ...(problem && { problem }) }
  renderPage({ page: () => <Gate {...shown} /> })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the sign-in gate', () => {
  it('says what it connects to and why', () => {
    renderGate('ready')
    expect(screen.getByRole('heading', { level: 1, name: 'Connect to ServiceM8' })).toBeDefined()
    expect(screen.getByText('Sign in to manage webhooks and receive real-time updates.')).toBeDefined()
  })

  it.each([
    ['/automation?tab=templates', 'Sign in to continue to Automations.'],
    ['/automation/runs/3', 'Sign in to continue to History.'],
    ['/deliveries/7', 'Sign in to continue to the delivery.'],
    ['/fieldhook', null],
  ])('at %s names the page behind it', (path, words) => {
    const gate = () => <Gate state="ready" accountUUID="account-1" token="" proved={false} kept="It is kept." />
    renderPage({ page: gate, at: path, routes: [{ path: '*', Component: gate }] })
    const found = document.body.textContent ?? ''
    expect(found).toContain(`${words ?? ''}It is kept.`)
    if (words === null) expect(found).not.toContain('continue to')
  })

  it('leads to the sign-in with account and token, in a new tab that cannot reach back', () => {
    renderGate('ready', 'a b&c')
    const link = screen.getByRole('link', { name: /Sign in with ServiceM8/ })
    expect(link.getAttribute('href')).toBe('/api/oauth/authorize?accountuuid=a+b%26c&token=flow')
    expect(link.getAttribute('target')).toBe('_blank')
    expect(link.getAttribute('rel')).toBe('noopener')
  })

  it('carries the marker of the flow when the address brought no token', () => {
    renderGate('ready', 'account-1', undefined, '')
    const link = screen.getByRole('link', { name: /Sign in with ServiceM8/ })
    expect(link.getAttribute('href')).toBe('/api/oauth/authorize?accountuuid=account-1&token=fieldhook')
  })

  it('without an account has a disabled button, and says why', () => {
    renderGate('no_account', '')
    const button = screen.getByRole('button', { name: 'Please close this page' })
    expect(button.hasAttribute('disabled')).toBe(true)
    expect(screen.queryByRole('link')).toBeNull()
    screen.getByText('Open Fieldhook from inside ServiceM8.')
    screen.getByText(
      'No account context provided. Please close this page and access through the proper integration with the platform.',
    )
  })

  it('after the click says what comes next, and takes the focus there', () => {
    renderGate('ready')
    // The new tab itself is the browser's business.
    document.addEventListener('click', (event) => event.preventDefault(), { once: true })
    fireEvent.click(screen.getByRole('link', { name: /Sign in with ServiceM8/ }))
    const note = screen.getByText('Complete sign-in in the new tab, then refresh this page.')
    expect(document.activeElement?.contains(note)).toBe(true)
    screen.getByRole('link', { name: 'Refresh' })
    screen.getByRole('link', { name: /Open sign-in again/ })
  })

  it('has the same note for readers without scripts', () => {
    renderGate('ready')
    const note = screen.getByText('Complete sign-in in the new tab, then refresh this page.')
    expect(note.closest('.without-script')).not.toBeNull()
  })

  it('after a form that was not taken leads Back, without scripts', () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const page = () => <Gate state="ready" accountUUID="account-1" token="flow" proved={false} />
    const textAfter = (flash: Partial<Flash>) =>
      renderToString(pageStub({ page, flash: { kind: 'error', title: 'Not found', ...flash } }))
    const refused = textAfter({ typed: true })
    expect(refused).toContain('Complete sign-in in the new tab. Then press Back to where you were.')
    expect(refused).not.toContain('Refresh')
    // It may have been a press alone, such as Pause.
    expect(refused).not.toContain('What you typed')
    expect(textAfter({})).toContain('Refresh')
  })

  it('inside ServiceM8, without a session, asks to open the add-on again: a sign-in in a tab changes nothing there', () => {
    renderGate('ready')
    const note = screen.getByText('Inside ServiceM8, open Fieldhook again instead.')
    expect(note.closest('.without-script')).not.toBeNull()
    cleanup()
    vi.stubGlobal('top', {})
    renderGate('ready')
    screen.getByText('Open Fieldhook from ServiceM8 again.')
    expect(screen.queryByRole('link')).toBeNull()
    cleanup()
    // The frame has its session: only the connection is missing, and a tab can make that.
    renderGate('ready', 'account-1', undefined, 'flow', true)
    screen.getByRole('link', { name: /Sign in with ServiceM8/ })
    expect(screen.queryByText('Inside ServiceM8, open Fieldhook again instead.')).toBeNull()
  })

  it('greets readers without scripts; all others get a toast', () => {
    const greeting = 'New account detected: Please sign in to link this account.'
    renderPage({ page: () => <Gate state="ready" accountUUID="account-1" token="flow" proved greeting={greeting} /> })
    expect(screen.getByText(greeting).closest('.without-script')).not.toBeNull()
  })

  it('says what went wrong with the last sign-in', () => {
    renderGate('ready', 'account-1', 'You said no on the consent page.')
    expect(screen.getByRole('alert').textContent).toContain('You said no on the consent page.')
  })
})
