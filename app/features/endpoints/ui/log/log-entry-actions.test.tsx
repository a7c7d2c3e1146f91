import { act, screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import type { LogEntryView } from '#app/features/events/log-view.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleEntry, sampleResult } from '#tests/support/sample-views.ts'
import { LogEntryActions } from './log-entry-actions.tsx'

const OWNER = { account: { accountUUID: 'account-1', admin: true }, webhookId: 1 }

function renderActions(over: Partial<LogEntryView>) {
  renderPage({ page: () => <LogEntryActions entry={sampleEntry(over)} owner={OWNER} /> })
}

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

describe('an entry of the log', () => {
  it('leads to its delivery, and keeps the account and the role', () => {
    renderActions({ forwardingResults: [sampleResult({ deliveryId: 9 })] })
    expect(hrefOf('Details of delivery 9')).toBe('/deliveries/9?accountUUID=account-1&admin=yes')
  })

  it('leads to the newest delivery of each address, named by it', () => {
    renderActions({
      forwardingResults: [
        sampleResult({ deliveryId: 4 }),
        sampleResult({ deliveryId: 9 }),
        sampleResult({ deliveryId: 5, url: 'https://other.example.com/x' }),
      ],
    })
    expect(screen.getAllByRole('link')).toHaveLength(2)
    expect(hrefOf('Details for hooks.example.com of delivery 9')).toContain('/deliveries/9?')
    expect(hrefOf('Details for other.example.com of delivery 5')).toContain('/deliveries/5?')
  })

  it('leads to a delivery that was not tried so far, too; there is nothing to send again yet', () => {
    renderActions({ deliveries: [{ id: 3, endpointId: 1, url: 'https://hooks.example.com/catch/1' }] })
    expect(hrefOf('Details of delivery 3')).toContain('/deliveries/3?')
    expect(screen.queryByRole('button', { name: /Send again/ })).toBeNull()
  })

  it('still sends again what was tried while a later sending waits', () => {
    const url = 'https://hooks.example.com/catch/1'
    renderActions({
      deliveries: [
        { id: 3, endpointId: 1, url },
        { id: 8, endpointId: 1, url },
      ],
      forwardingResults: [sampleResult({ deliveryId: 3, url })],
    })
    expect(hrefOf('Details of delivery 8')).toContain('/deliveries/8?')
    screen.getByRole('button', { name: 'Send again delivery 3' })
    screen.getByRole('button', { name: 'Copy as curl of event event-1' })
  })

  it('sends again once to each webhook or rule, to the address it has now', () => {
    const [before, now] = ['https://staging.example.com/in', 'https://hooks.example.com/catch/1']
    renderActions({
      deliveries: [
        { id: 3, endpointId: 1, url: now },
        { id: 8, endpointId: 1, url: now },
        { id: 9, endpointId: 2, url: now, rule: 'Accounting' },
      ],
      forwardingResults: [
        sampleResult({ deliveryId: 3, url: before }),
        sampleResult({ deliveryId: 8, url: now }),
        sampleResult({ deliveryId: 9, url: before, rule: 'Accounting' }),
      ],
    })
    expect(screen.getAllByRole('button', { name: /^Send again/ }).map((button) => button.textContent)).toEqual([
      'Send again to hooks.example.com delivery 8',
      'Send again to Accounting delivery 9',
    ])
  })

  it('keeps the focus on what was pressed when the newer delivery is there', () => {
    let answer = (_: number[]) => {}
    function Log() {
      const [ids, setIds] = useState([3])
      answer = setIds
      const forwardingResults = ids.map((deliveryId) => sampleResult({ deliveryId }))
      return <LogEntryActions entry={sampleEntry({ forwardingResults })} owner={OWNER} />
    }
    renderPage({ page: () => <Log /> })
    const pressed = screen.getByRole('button', { name: /^Send again/ })
    pressed.focus()
    act(() => answer([3, 8]))
    expect(hrefOf('Details of delivery 8')).toContain('/deliveries/8?')
    expect(document.activeElement).toBe(pressed)
    expect(pressed.isConnected).toBe(true)
  })

  it('that went nowhere has nothing to press', () => {
    renderActions({ deliveries: [] })
    expect(screen.queryByRole('link')).toBeNull()
    expect(screen.queryByRole('button')).toBeNull()
  })
})
