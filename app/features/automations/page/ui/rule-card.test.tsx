import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { OwnerRights } from '#app/domain/people.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleCard } from '#tests/support/sample-rules.ts'
import { RuleCard } from './rule-card.tsx'

function draw(refusal: OwnerRights['refusal']) {
  const rule = sampleCard({ triggerUrl: 'https://hooks.example.com/api/automation/3/trigger?key=k' })
  const account = { accountUUID: 'account-1', admin: false }
  const rights = { refusal, owners: [] }
  renderPage({
    page: () => (
      <RuleCard rights={rights} rule={rule} account={account} step={{ step: 'url', ruleId: rule.id }} result={null} />
    ),
  })
  return screen.queryByRole<HTMLButtonElement>('button', { name: 'Make a new address' })
}

it('offers no new address to a member, and says who makes one', () => {
  expect(draw('owner')).toBeNull()
  screen.getByText('Owners can make a new address. The account page lists them.')
})

it('keeps the button for an owner whose last proof is too old, with what to do first', () => {
  expect(draw('fresh')?.disabled).toBe(true)
  screen.getByText('To make a new address, open Fieldhook from ServiceM8 again.')
  screen.getByRole('link', { name: /^Or sign in again/ })
})

it('draws the knob of the switch where the system sets the colours', () => {
  draw(null)
  const knob = screen.getByRole('switch').querySelector('span > span')
  expect(knob?.classList.contains('forced-colors:bg-[ButtonText]')).toBe(true)
})

it('draws the runs of 30 days in less than a kilobyte, and says them in one sentence', () => {
  const days = {
    ran: Array.from({ length: 30 }, (_, day) => day),
    failed: Array.from({ length: 30 }, (_, day) => day % 3),
    says: 'Last 30 days: 465 runs, 30 failed',
  }
  renderPage({
    page: () => (
      <RuleCard
        rights={{ refusal: null, owners: [] }}
        rule={sampleCard({ days })}
        account={{ accountUUID: 'account-1', admin: false }}
        step={{ step: 'none' }}
        result={null}
      />
    ),
  })
  const bars = screen.getByRole('img', { name: days.says })
  expect(bars.outerHTML.length).toBeLessThan(1_024)
  expect(bars.innerHTML).not.toMatch(/NaN|undefined/)
})
