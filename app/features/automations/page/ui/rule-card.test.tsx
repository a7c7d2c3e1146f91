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
