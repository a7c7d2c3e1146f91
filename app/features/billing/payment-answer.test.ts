import { describe, expect, it } from 'vitest'
import { answerOfStart, cancellationFlash, flashOfReturn, readIntent } from './payment-answer.ts'
import { isReturn, returnedPayment, subscriptionAddress } from './subscription-address.ts'

const PAY = {
  outcome: 'pay',
  clientSecret: 'pi_1_secret_2',
  amount: 500,
  currency: 'gbp',
  description: '£5.00 today. Your paid month starts now.',
} as const

describe('what comes of an offer', () => {
  it('is a quote, and an upgrade is announced as the specification words it', () => {
    const quote = { clientSecret: 'pi_1_secret_2', amount: '£5.00', sentence: PAY.description }
    expect(answerOfStart('subscribe', PAY)).toEqual({ kind: 'quote', quote, toast: null })
    expect(answerOfStart('pay_now', PAY)).toEqual({ kind: 'quote', quote, toast: null })
    for (const offer of ['upgrade', 'early_prorated', 'early_full'] as const) {
      expect(answerOfStart(offer, PAY)).toEqual({
        kind: 'quote',
        quote,
        toast: { kind: 'info', title: 'Upgrade Available', description: PAY.description },
      })
    }
  })

  it('is an error with the reason when it is refused, and a failed payment when the bank refused it', () => {
    const refused = { outcome: 'refused', message: 'No.' } as const
    expect(answerOfStart('early_prorated', { ...refused, status: 409 })).toEqual({
      kind: 'refused',
      message: 'No.',
      toast: { kind: 'error', title: 'Error', description: 'No.' },
    })
    expect(answerOfStart('subscribe', { ...refused, status: 402 })).toMatchObject({
      toast: { title: 'Payment Failed', description: 'No.' },
    })
    expect(answerOfStart('upgrade', { ...refused, status: 402 })).toMatchObject({
      toast: { title: 'Error', description: 'No.' },
    })
  })
})

describe('the return from a payment', () => {
  it('is said in the words of the specification', () => {
    expect(flashOfReturn({ outcome: 'paid' })).toEqual({
      kind: 'success',
      title: 'Payment Successful',
      description: 'Your subscription is now active!',
    })
    expect(flashOfReturn({ outcome: 'failed', message: 'Your card was declined.' })).toEqual({
      kind: 'error',
      title: 'Payment Failed',
      description: 'Your card was declined.',
    })
    expect(flashOfReturn({ outcome: 'processing' }).kind).toBe('info')
    expect(flashOfReturn({ outcome: 'unknown' }).description).toBe(
      'This account has no such payment. Nothing was changed.',
    )
  })

  it('is read from the address as a claim, never as text to pass on', () => {
    const query = (text: string) => new URLSearchParams(text)
    expect(returnedPayment(query('payment_intent=pi_3abc&redirect_status=succeeded'))).toBe('pi_3abc')
    for (const forged of ['payment_intent=', 'payment_intent=sub_1', 'payment_intent=pi_1%2F..%2Fx', 'x=1']) {
      expect(returnedPayment(query(forged))).toBeNull()
    }
    expect(isReturn(query('accountUUID=a&redirect_status=succeeded'))).toBe(true)
    expect(isReturn(query('accountUUID=a'))).toBe(false)
  })
})

it('a cancelled subscription says until which day it runs, in the zone of the account', () => {
  const said = (end: number | null, late = false) =>
    cancellationFlash('cancel', end, 'Australia/Sydney', late).description
  expect(said(Date.UTC(2026, 11, 27, 15))).toBe('It stays active until 28 December 2026.')
  expect(said(null)).toBe('It stays active until the paid month ends.')
  expect(said(Date.UTC(2026, 11, 27, 15), true)).toBe('What is open now stays due.')
  expect(cancellationFlash('keep', null, 'UTC', false).title).toBe('Your subscription continues')
})

it('only the buttons of the page are understood', () => {
  expect(readIntent('early_full')).toBe('early_full')
  expect(readIntent('settle')).toBe('settle')
  for (const text of [null, '', 'constructor', 'delete']) expect(readIntent(text)).toBeNull()
})

it('the address names the account, and the flag of an admin where there is one', () => {
  expect(subscriptionAddress({ accountUUID: 'a', admin: false })).toBe('/subscription?accountUUID=a')
  expect(subscriptionAddress({ accountUUID: 'a', admin: true })).toBe('/subscription?accountUUID=a&admin=yes')
})
