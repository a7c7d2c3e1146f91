import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COUNTRIES, readCountry } from '#app/domain/country.ts'
import { toE164 } from './phone.ts'

const number = (text: string, country: string) => {
  const phone = toE164(text, country)
  return phone.outcome === 'ok' ? phone.number : phone.why
}

describe('a number as it is dialled at home', () => {
  it('in the United Kingdom', () => {
    expect(number('07700 900123', 'GB')).toBe('+447700900123')
    expect(number('(0113) 496-0000', 'United Kingdom')).toBe('+441134960000')
    expect(number('0770 09', 'GB')).toBe('too_short')
    expect(number('07700 9001234', 'GB')).toBe('too_long')
    expect(number('7700900123', 'uk')).toBe('+447700900123')
  })

  it('in Australia', () => {
    expect(number('0412 345 678', 'AU')).toBe('+61412345678')
    expect(number('(07) 3333 4444', 'Australia')).toBe('+61733334444')
    expect(number('1300 975 707', 'AU')).toBe('+611300975707')
    expect(number('0011 44 7700 900123', 'AU')).toBe('+447700900123')
  })

  it('in New Zealand', () => {
    expect(number('021 123 4567', 'NZ')).toBe('+64211234567')
    expect(number('021 123 456', 'NZ')).toBe('+6421123456')
    expect(number('027 1234 56789', 'NZ')).toBe('too_long')
    expect(number('09 555 1234', 'New Zealand')).toBe('+6495551234')
  })

  it('in the United States and Canada', () => {
    expect(number('(212) 555-0123', 'US')).toBe('+12125550123')
    expect(number('1-212-555-0123', 'USA')).toBe('+12125550123')
    expect(number('416.555.0123', 'CA')).toBe('+14165550123')
    expect(number('555-0123', 'US')).toBe('too_short')
    expect(number('(112) 555-0123', 'US')).toBe('not_a_number')
    expect(number('011 44 7700 900123', 'CA')).toBe('+447700900123')
  })

  it('in Ireland', () => {
    expect(number('087 123 4567', 'IE')).toBe('+353871234567')
    expect(number('(01) 234 5678', 'Republic of Ireland')).toBe('+35312345678')
  })
})

describe('a number with its country', () => {
  it('is taken as it is, whatever the account’s country', () => {
    for (const country of ['GB', 'US', '', 'Fiji']) {
      expect(number('+44 7700 900123', country)).toBe('+447700900123')
      expect(number('+49 30 1234567', country)).toBe('+49301234567')
    }
    expect(number('0049 30 1234567', 'GB')).toBe('+49301234567')
  })

  it('loses the nought that was left in', () => {
    expect(number('+44 (0)7700 900123', 'GB')).toBe('+447700900123')
    expect(number('+4407700900123', 'AU')).toBe('+447700900123')
    expect(number('+61 0412 345 678', 'AU')).toBe('+61412345678')
  })

  it('whose plus was left out is recognised', () => {
    expect(number('447700900123', 'GB')).toBe('+447700900123')
    expect(number('61412345678', 'AU')).toBe('+61412345678')
    expect(number('353871234567', 'IE')).toBe('+353871234567')
  })

  it('of the wrong length is refused', () => {
    expect(number('+44 7700 9001', 'GB')).toBe('too_short')
    expect(number('+1 212 555 01234', 'US')).toBe('too_long')
    expect(number('+49 30', 'GB')).toBe('too_short')
    expect(number(`+49${'1'.repeat(14)}`, 'GB')).toBe('too_long')
    expect(number('+0 7700 900123', 'GB')).toBe('not_a_number')
  })
})

describe('what comes along when a number is copied', () => {
  it('falls away', () => {
    expect(number('\u202a+44 7700 900123\u202c', 'GB')).toBe('+447700900123')
    expect(number('tel:07700\u00a0900\u2011123', 'GB')).toBe('+447700900123')
    expect(number('０７７００ ９００１２３', 'GB')).toBe('+447700900123')
    expect(number('0113 496 0000 ext. 12', 'GB')).toBe('+441134960000')
    expect(number('0113 496 0000 x12', 'GB')).toBe('+441134960000')
  })
})

describe('what is no number', () => {
  it('is refused with a sentence', () => {
    expect(toE164('', 'GB')).toEqual({ outcome: 'refused', why: 'empty', sentence: 'There is no phone number.' })
    expect(toE164('0770 09', 'GB')).toEqual({
      outcome: 'refused',
      why: 'too_short',
      sentence: 'The number "0770 09" is too short.',
    })
    expect(number('ask Margaret', 'GB')).toBe('letters')
    expect(number('07700 900123, 0113 496 0000', 'GB')).toBe('not_a_number')
    expect(number('07700+900123', 'GB')).toBe('not_a_number')
    expect(number('07700 900123', 'Fiji')).toBe('needs_plus')
    expect(number('07700 900123', '')).toBe('needs_plus')
  })

  it('never throws, and what is taken is E.164 and stays what it is', () => {
    const text = fc.oneof(fc.string({ maxLength: 30 }), fc.stringMatching(/^[+\d ()-]{0,20}$/))
    fc.assert(
      fc.property(text, fc.constantFrom(...COUNTRIES, ''), (written, country) => {
        const phone = toE164(written, country)
        if (phone.outcome === 'refused') {
          expect(phone.sentence).toMatch(/\.$/)
          return
        }
        expect(phone.number).toMatch(/^\+[1-9]\d{6,14}$/)
        expect(number(phone.number, country)).toBe(phone.number)
      }),
      { numRuns: 2_000 },
    )
  })
})

it('countries are known by code and by name', () => {
  expect(['gb', 'UK', 'the United Kingdom', 'U.S.A.', 'Ireland', 'canada'].map(readCountry)).toEqual([
    'GB',
    'GB',
    'GB',
    'US',
    'IE',
    'CA',
  ])
  expect(['', 'Atlantis', 'constructor'].map(readCountry)).toEqual([null, null, null])
})
