import { describe, expect, it } from 'vitest'
import { dateText, firstName, moneyText, monthText, numberText, timeText, weekdayText } from './local-format.ts'
import { dayOf } from './local-time.ts'

const GB = { currency: 'GBP', country: 'GB' }
const AU = { currency: 'AUD', country: 'Australia' }
const US = { currency: '', country: 'US' }
const NOWHERE = { currency: '', country: '' }
const wall = (text: string) => Date.parse(`${text}Z`)

describe('money', () => {
  it('has the sign of its currency, or of the country, or none', () => {
    expect(moneyText(1234.5, GB)).toBe('£1,234.50')
    expect(moneyText(-12, AU)).toBe('-$12.00')
    expect(moneyText(0.005, US)).toBe('$0.01')
    expect(moneyText(1234567.891, NOWHERE)).toBe('1,234,567.89')
    expect(moneyText(5, { currency: 'sgd', country: '' })).toBe('SGD 5.00')
    expect(moneyText(-0.001, GB)).toBe('£0.00')
    expect(moneyText(1234.565, { currency: 'EUR', country: 'IE' })).toMatch(/^€1,234\.5[67]$/)
  })
})

it('numbers have their thousands apart and no noughts behind', () => {
  expect([1234.5, 12, -1234567, 0.1 + 0.2, -0.0000001].map(numberText)).toEqual([
    '1,234.5',
    '12',
    '-1,234,567',
    '0.3',
    '0',
  ])
})

describe('dates and times', () => {
  it('are written as the country does', () => {
    const at = wall('2026-11-21T14:05:00')
    expect([GB, AU, US].map((habits) => dateText(at, habits))).toEqual(['21 Nov 2026', '21 Nov 2026', 'Nov 21, 2026'])
    expect([GB, AU, US, NOWHERE].map((habits) => timeText(at, habits))).toEqual([
      '14:05',
      '2:05 pm',
      '2:05 pm',
      '14:05',
    ])
    expect(timeText(wall('2026-11-21T00:05:00'), AU)).toBe('12:05 am')
    expect(timeText(wall('2026-11-21T12:00:00'), US)).toBe('12:00 pm')
    expect(timeText(wall('2026-11-21T09:05:00'), GB)).toBe('09:05')
    expect(weekdayText(at)).toBe('Saturday')
    expect(monthText(dayOf(at))).toBe('November 2026')
  })
})

describe('the name to greet with', () => {
  it('is the first name, in its own case', () => {
    expect(firstName('Margaret Smith')).toBe('Margaret')
    expect(firstName('Mrs Margaret Smith')).toBe('Margaret')
    expect(firstName('SMITH, MARGARET')).toBe('Margaret')
    expect(firstName("  o'neill ")).toBe("O'Neill")
    expect(firstName('anne-marie jones')).toBe('Anne-Marie')
    expect(firstName('McKenzie')).toBe('McKenzie')
    expect(firstName('JP Morgan')).toBe('JP')
    expect(firstName('')).toBe('')
  })

  it('is title and surname where nothing else is known', () => {
    expect(firstName('Mr SMITH')).toBe('Mr Smith')
    expect(firstName('Dr.')).toBe('')
  })
})
