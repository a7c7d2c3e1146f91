// `/sandbox/stripe.js`: the script that stands in for Stripe.js, with the list of cards it accepts.
import type { Answer } from '../http.server.ts'
import script from './stand-in.js?raw'
import { SANDBOX_STRIPE } from './stripe-options.ts'
import { TEST_CARDS } from './test-cards.ts'

export function standInAnswer(): Answer {
  const cards = TEST_CARDS.map(({ number, words }) => ({ number, words }))
  const filled = script
    .replace('__API__', JSON.stringify(`${SANDBOX_STRIPE.basePath}/v1`))
    .replace('= __TEST_CARDS__', `= ${JSON.stringify(cards)}`)
    .replace('!== __KEY__', `!== ${JSON.stringify(SANDBOX_STRIPE.publishableKey)}`)
  return {
    status: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=60' },
    body: filled,
  }
}
