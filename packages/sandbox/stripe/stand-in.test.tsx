import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Stripe as StripeJs } from '@stripe/stripe-js'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { standInAnswer } from './stand-in.server.ts'

interface Call {
  url: string
  body: URLSearchParams | null
  key: string
}

let calls: Call[]
let answer: { status: number; body: unknown }
let root: Root
let result: unknown
let ready: number
const realFetch = globalThis.fetch

interface StandIn {
  (key: string): StripeJs
  version: string
}

function standIn(): StandIn {
  return (window as unknown as { Stripe: StandIn }).Stripe
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  calls = []
  ready = 0
  result = undefined
  answer = { status: 200, body: { id: 'pi_1', status: 'succeeded', client_secret: 'pi_1_secret_x' } }
  globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    calls.push({
      url: String(input),
      body: init?.body instanceof URLSearchParams ? init.body : null,
      key: headers.get('authorization') ?? '',
    })
    return new Response(JSON.stringify(answer.body), { status: answer.status })
  }
  new Function(String(standInAnswer().body))()
  const host = document.createElement('div')
  document.body.append(host)
  root = createRoot(host)
})
afterEach(async () => {
  await act(async () => root.unmount())
  document.body.replaceChildren()
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  globalThis.fetch = realFetch
})

function Form() {
  const stripe = useStripe()
  const elements = useElements()
  async function pay() {
    if (!stripe || !elements) return
    const submitted = await elements.submit()
    result = submitted.error
      ? submitted
      : await stripe.confirmPayment({
          elements,
          confirmParams: { return_url: 'http://localhost/subscription' },
          redirect: 'if_required',
        })
  }
  return (
    <form>
      <PaymentElement onReady={() => ready++} />
      <button type="button" onClick={() => void pay()}>
        Pay
      </button>
    </form>
  )
}

async function draw(): Promise<void> {
  const stripe = standIn()('pk_sandbox_local')
  await act(async () => {
    root.render(
      <Elements stripe={stripe} options={{ clientSecret: 'pi_1_secret_x', locale: 'en-GB' }}>
        <Form />
      </Elements>,
    )
  })
  await act(async () => new Promise((resolve) => setTimeout(resolve, 5)))
}

function field(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find((one) => one.textContent === label)
  return document.getElementById(found?.getAttribute('for') ?? '') as HTMLInputElement
}

function type(label: string, text: string): void {
  const input = field(label)
  input.value = text
  input.setSelectionRange(text.length, text.length)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

async function pay(): Promise<void> {
  await act(async () => document.querySelector('button')?.click())
  await act(async () => new Promise((resolve) => setTimeout(resolve, 5)))
}

function fill(number = '4242424242424242'): void {
  type('Card number', number)
  type('Expiry date', '1240')
  type('CVC', '123')
  type('Postcode', 'SW1A 1AA')
}

test('the official components mount it, with labelled fields that browsers do not fill in', async () => {
  await draw()
  expect(ready).toBe(1)
  expect(document.body.textContent).toContain('Sandbox: no real payment')
  for (const label of ['Card number', 'Expiry date', 'CVC', 'Postcode']) {
    expect(field(label).getAttribute('autocomplete')).toBe('off')
  }
  expect(document.querySelector('[style]')).toBeNull()
  expect(standIn().version).toBe('endive')
})

test('what is typed is put in shape and sent as the provider’s form', async () => {
  await draw()
  fill()
  expect([field('Card number').value, field('Expiry date').value]).toEqual(['4242 4242 4242 4242', '12 / 40'])
  await pay()
  expect(result).toEqual({ paymentIntent: answer.body })
  expect(calls).toHaveLength(1)
  expect(calls[0]?.url).toBe('/sandbox/stripe/v1/payment_intents/pi_1/confirm')
  expect(calls[0]?.key).toBe('Bearer pk_sandbox_local')
  expect(Object.fromEntries(calls[0]?.body ?? [])).toEqual({
    client_secret: 'pi_1_secret_x',
    return_url: 'http://localhost/subscription',
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': '4242424242424242',
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '40',
    'payment_method_data[card][cvc]': '123',
    'payment_method_data[billing_details][address][postal_code]': 'SW1A 1AA',
  })
})

test('a number that is not on the list never leaves the page', async () => {
  await draw()
  fill('5555555555554444')
  await pay()
  expect(calls).toEqual([])
  expect(result).toMatchObject({ error: { type: 'validation_error', code: 'incorrect_number' } })
  expect(field('Card number').getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById('sandbox-card-number-problem')?.textContent).toContain('only its own test cards')
  type('Card number', '4242424242424242')
  expect(field('Card number').hasAttribute('aria-invalid')).toBe(false)
})

test('an empty form says what is missing and sends nothing', async () => {
  await draw()
  await pay()
  expect(result).toMatchObject({ error: { code: 'incomplete_number' } })
  const problems = [...document.querySelectorAll('.sandbox-card-problem')].map((one) => one.textContent !== '')
  expect(problems).toEqual([true, true, true, true])
  expect(calls).toEqual([])
})

test('a refusal comes back as the provider’s error, and so does a lost connection', async () => {
  const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' }
  answer = { status: 402, body: { error } }
  await draw()
  fill()
  await pay()
  expect(result).toEqual({ error })
  globalThis.fetch = () => Promise.reject(new TypeError('offline'))
  await pay()
  expect(result).toMatchObject({ error: { type: 'api_connection_error' } })
})

test('another key than the sandbox’s is refused', () => {
  expect(() => standIn()('pk_live_x')).toThrow('publishable key')
})
