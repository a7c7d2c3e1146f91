import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { EMPTY_LISTS } from '../../rules/form-lists.ts'
import { aidsOf } from '../form-aids.ts'
import { emptyForm } from '../form-state.ts'
import { RuleFormProvider, type RuleFormTools } from './form-context.tsx'
import { AdvancedSection } from './rest-sections.tsx'

function open(quiet?: RuleFormTools['quiet']) {
  const state = emptyForm()
  const tools: RuleFormTools = {
    accountUUID: 'account-1',
    person: '',
    phone: '',
    example: '',
    samples: null,
    state,
    errors: {},
    lists: EMPTY_LISTS,
    aids: aidsOf(state, []),
    webhooks: [],
    open: new Set(),
    setOpen: () => {},
    at: '',
    sends: {},
    alive: true,
    set: () => {},
    ...(quiet && { quiet }),
  }
  const page = () => (
    <RuleFormProvider value={tools}>
      <AdvancedSection />
    </RuleFormProvider>
  )
  renderPage({ at: '/?accountUUID=account-1&admin=yes', page })
  const box = screen.getByLabelText('Respect quiet hours')
  return document.getElementById(box.getAttribute('aria-describedby') ?? '')
}

describe('the option for quiet hours', () => {
  it('says when none are set, with the way to them in a tab of its own', () => {
    const hint = open({ words: 'No quiet hours are set, so this changes nothing.', link: 'Set quiet hours' })
    expect(hint?.textContent).toContain('No quiet hours are set')
    const link = screen.getByRole('link', { name: /^Set quiet hours/ })
    expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([
      '/automation/settings?accountUUID=account-1&admin=yes',
      '_blank',
    ])
  })

  it('says what it does while nothing is known', () => {
    expect(open()?.textContent).toBe('Messages to customers wait until your quiet hours are over.')
  })
})
