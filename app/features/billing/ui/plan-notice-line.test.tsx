import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { COPY_HELD } from '../plan-notice.ts'
import { PlanNoticeLine } from './plan-notice-line.tsx'

it('says what has to be known and leads to the subscription', () => {
  const notice = { tone: 'held', sentence: 'Your trial has ended.', action: { label: 'Subscribe' } } as const
  renderPage({ page: () => <PlanNoticeLine notice={notice} accountUUID="a" admin /> })
  const line = within(screen.getByRole('region', { name: 'Subscription' }))
  line.getByText('Your trial has ended.')
  expect(line.getByRole('link', { name: 'Subscribe' }).getAttribute('href')).toBe(
    '/subscription?accountUUID=a&admin=yes',
  )
})

it('says that a restored copy is held, with nothing to press', () => {
  renderPage({ page: () => <PlanNoticeLine notice={COPY_HELD} accountUUID="a" admin={false} /> })
  const line = within(screen.getByRole('region', { name: 'Notice' }))
  line.getByText(/^Fieldhook is on hold\./)
  expect(line.queryByRole('link')).toBeNull()
})

it('is not there when there is nothing to say', () => {
  renderPage({ page: () => <PlanNoticeLine notice={null} accountUUID="a" admin={false} /> })
  expect(screen.queryByRole('region', { name: 'Subscription' })).toBeNull()
})
