import { describe, expect, it } from 'vitest'
import { hours } from '#app/lib/duration.ts'
import { type FirstStepFacts, firstSteps } from './first-steps.ts'

const NOW = Date.UTC(2026, 10, 22, 9)
const made = (over: Partial<FirstStepFacts['cards'][number]> = {}): FirstStepFacts['cards'][number] => ({
  lastEventAt: null,
  createdAt: NOW - hours(1),
  ...over,
})
const shown = (facts: Partial<FirstStepFacts>) =>
  firstSteps({ cards: [], automations: 0, hadEvents: false, now: NOW, ...facts }).map(
    ({ step, done, next }) => `${step}${done ? ' done' : ''}${next ? ' next' : ''}`,
  )

describe('the first steps', () => {
  it('begin with a webhook', () => {
    expect(shown({})).toEqual(['webhook next', 'event', 'automation'])
  })

  it('go on with an event', () => {
    expect(shown({ cards: [made()] })).toEqual(['webhook done', 'event next', 'automation'])
  })

  it('go on with an automation after an event of any card', () => {
    const last = ['webhook done', 'event done', 'automation next']
    expect(shown({ cards: [made(), made({ lastEventAt: NOW })] })).toEqual(last)
  })

  it('wait for the event when there is an automation already', () => {
    expect(shown({ cards: [made()], automations: 1 })).toEqual(['webhook done', 'event next', 'automation done'])
  })

  it('are gone when all of them are done', () => {
    expect(shown({ cards: [made({ lastEventAt: NOW })], automations: 1 })).toEqual([])
  })

  it('are gone for whoever came for automations', () => {
    expect(shown({ automations: 2 })).toEqual([])
  })

  it('do not come back for whoever had events and deleted the webhook', () => {
    expect(shown({ hadEvents: true })).toEqual([])
    expect(shown({ cards: [made()], hadEvents: true })).toHaveLength(3)
  })

  it('are gone two days after the first webhook', () => {
    const early = made({ createdAt: NOW - hours(48) })
    expect(shown({ cards: [early, made()] })).toHaveLength(3)
    expect(shown({ cards: [{ ...early, createdAt: early.createdAt - 1 }, made()] })).toEqual([])
  })
})
