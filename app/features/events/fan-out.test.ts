import { describe, expect, it } from 'vitest'
import { chooseEndpoints, passesFields } from './fan-out.ts'

const endpoint = (given: Partial<Parameters<typeof chooseEndpoints>[1][number]> = {}) => ({
  objectType: 'job',
  fieldFilter: '',
  url: 'https://receiver.example.com/',
  state: 'active',
  ...given,
})
const EVENT = { object: 'job', changedFields: ['status', 'date'] }
const isChosen = (given: Parameters<typeof endpoint>[0]) => chooseEndpoints(EVENT, [endpoint(given)]).length === 1

describe('an event goes to an endpoint', () => {
  it('of its object, in any spelling', () => {
    expect(isChosen({})).toBe(true)
    expect(isChosen({ objectType: 'Job' })).toBe(true)
    expect(isChosen({ objectType: 'jobactivity' })).toBe(false)
  })

  it('that has an address', () => {
    expect(isChosen({ url: '' })).toBe(false)
  })

  it('that is paused, failing or stopped, where it waits or is kept, but not to a deleted one', () => {
    for (const state of ['active', 'paused', 'failing', 'stopped']) expect(isChosen({ state })).toBe(true)
    expect(isChosen({ state: 'deleted' })).toBe(false)
  })

  it('whose filter names one of the changed fields', () => {
    expect(isChosen({ fieldFilter: 'date' })).toBe(true)
    expect(isChosen({ fieldFilter: ' Date , x' })).toBe(true)
    expect(isChosen({ fieldFilter: 'x,y' })).toBe(false)
    expect(isChosen({ fieldFilter: ' , ' })).toBe(true)
  })
})

it('an event that names no fields passes every filter', () => {
  expect(passesFields('status', [])).toBe(true)
})

it('keeps the order of the endpoints', () => {
  const all = [endpoint({ url: 'https://a/' }), endpoint({ url: '' }), endpoint({ url: 'https://b/' })]
  expect(chooseEndpoints(EVENT, all).map(({ url }) => url)).toEqual(['https://a/', 'https://b/'])
})
