import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterAccepted,
  afterRefused,
  isFieldRefusal,
  isObjectRefusal,
  MOST_TRIES,
  nextTry,
  startSearch,
} from './field-search.ts'

const NAMELESS = '"" is not a valid field for subscription'

/** Runs a search against a platform that knows some fields; returns what it ends with. */
function search(
  fields: string[],
  known: (field: string) => boolean,
  options: { chosen?: string[]; doubtful?: (field: string) => boolean; message?: (list: string[]) => string } = {},
) {
  let state = startSearch(fields)
  let tries = 0
  let inForce: string[] = []
  for (let list = nextTry(state); list !== null; list = nextTry(state)) {
    tries += 1
    if (list.every(known)) {
      inForce = list
      state = afterAccepted(state)
    } else {
      const message = options.message?.(list) ?? NAMELESS
      state = afterRefused(state, {
        message,
        chosen: options.chosen ?? [],
        doubtful: options.doubtful ?? (() => false),
      })
    }
  }
  return { accepted: [...state.accepted].sort(), inForce, tries }
}

const LONG = Array.from({ length: 45 }, (_, n) => `field_${String(n).padStart(2, '0')}`)

describe('searching for the fields a platform takes', () => {
  test('ends after one try when all are taken', () => {
    expect(search(LONG, () => true)).toEqual({ accepted: LONG, inForce: LONG, tries: 1 })
  })

  test('finds the one bad name among 45 that the platform does not name', () => {
    for (const bad of [LONG[0], LONG[22], LONG[44]]) {
      const found = search(LONG, (field) => field !== bad)
      expect(found.accepted).toEqual(LONG.filter((field) => field !== bad))
      expect(found.tries).toBeLessThanOrEqual(MOST_TRIES)
    }
  })

  test('drops the field that the platform names at once', () => {
    const found = search(['a', 'b', 'c'], (field) => field !== 'b', {
      message: () => '"b" is not a valid field for subscription',
    })
    expect(found).toEqual({ accepted: ['a', 'c'], inForce: ['a', 'c'], tries: 2 })
  })

  test('tries the sure fields first, then the doubtful ones somebody chose', () => {
    const doubtful = (field: string) => field.startsWith('old')
    const found = search(['name', 'old_a', 'old_b', 'price'], (field) => field !== 'old_b', {
      doubtful,
      chosen: ['old_a'],
    })
    expect(found).toEqual({ accepted: ['name', 'old_a', 'price'], inForce: ['name', 'old_a', 'price'], tries: 4 })
  })

  test('ends with nothing when nothing is known', () => {
    expect(search(['statsu'], () => false)).toEqual({ accepted: [], inForce: [], tries: 1 })
    expect(search(LONG, () => false).tries).toBeLessThanOrEqual(MOST_TRIES)
  })

  test('always ends within its tries, with what the platform has in force, and never with a field it refused', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...LONG), { minLength: 1 }),
        fc.uniqueArray(fc.constantFrom(...LONG)),
        fc.uniqueArray(fc.constantFrom(...LONG)),
        (fields, bad, doubtful) => {
          const found = search(fields, (field) => !bad.includes(field), {
            doubtful: (field) => doubtful.includes(field),
            chosen: fields.slice(0, 3),
          })
          expect(found.tries).toBeLessThanOrEqual(MOST_TRIES)
          expect(found.inForce).toEqual(found.accepted)
          expect(found.accepted.some((field) => bad.includes(field))).toBe(false)
          if (fields.filter((field) => bad.includes(field)).length <= 1) {
            expect(found.accepted).toEqual(fields.filter((field) => !bad.includes(field)).sort())
          }
        },
      ),
    )
  })

  test('tells the two refusals apart', () => {
    expect(isFieldRefusal(NAMELESS)).toBe(true)
    expect(isFieldRefusal('Challenge failed')).toBe(false)
    expect(isObjectRefusal('Object Potato does not support subscription')).toBe(true)
    expect(isObjectRefusal(NAMELESS)).toBe(false)
  })
})
