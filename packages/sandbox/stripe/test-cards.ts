// The cards that the pretend provider accepts. It refuses every other number, so that nobody enters a real card.
import type { PaymentError } from './ledger.ts'

export type CardRefusal = Pick<PaymentError, 'type' | 'code' | 'declineCode' | 'message'>

interface TestCard {
  number: string
  brand: string
  /** Its behaviour, for the list on the stage. */
  words: string
  /** Why every payment with it fails. */
  refuses: CardRefusal | null
  /** Its owner must authenticate: never, the first time, or each time. */
  authentication: 'never' | 'once' | 'always'
  /** Whether an off-session charge succeeds. */
  unattended: boolean
}

export const GENERIC_DECLINE = declined('generic_decline', 'Your card was declined.')

export const AUTHENTICATION_REQUIRED: CardRefusal = {
  type: 'card_error',
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
}

/** The text is for developers, like the provider's: people who pay must never see it. */
export const AUTHENTICATION_FAILED: CardRefusal = {
  type: 'invalid_request_error',
  code: 'payment_intent_authentication_failure',
  declineCode: null,
  message: 'This PaymentMethod has failed authentication: send payment_method_data or another PaymentMethod.',
}

export const TEST_CARDS: readonly TestCard[] = [
  card('4242424242424242', 'Pays'),
  card('4000000000000002', 'Is declined', { refuses: GENERIC_DECLINE }),
  card('4000000000009995', 'Has too little money', {
    refuses: declined('insufficient_funds', 'Your card has insufficient funds.'),
  }),
  card('4000000000000069', 'Has expired', { refuses: spoken('expired_card', 'Your card has expired.') }),
  card('4000000000000127', 'Has another security code', {
    refuses: spoken('incorrect_cvc', "Your card's security code is incorrect."),
  }),
  card('4000002500003155', 'Asks who you are the first time, then pays', { authentication: 'once' }),
  card('4000002760003184', 'Asks who you are each time; renewals fail', {
    authentication: 'always',
    unattended: false,
  }),
  card('4000000000000341', 'Pays once; renewals are declined', { unattended: false }),
]

export function findCard(number: string): TestCard | null {
  return TEST_CARDS.find((one) => one.number === number) ?? null
}

export function getCard(number: string): TestCard {
  const found = findCard(number)
  if (!found) throw new Error('a card that is not on the list was kept')
  return found
}

/** Why an off-session charge fails, or null. `authenticated`: the owner has authenticated before. */
export function refusalUnattended(one: TestCard, authenticated: boolean): CardRefusal | null {
  if (one.refuses) return one.refuses
  if (one.authentication === 'always') return AUTHENTICATION_REQUIRED
  if (one.authentication === 'once' && !authenticated) return AUTHENTICATION_REQUIRED
  return one.unattended ? null : GENERIC_DECLINE
}

function card(number: string, words: string, rest: Partial<TestCard> = {}): TestCard {
  return { number, brand: 'visa', words, refuses: null, authentication: 'never', unattended: true, ...rest }
}

function declined(declineCode: string, message: string): CardRefusal {
  return { type: 'card_error', code: 'card_declined', declineCode, message }
}

function spoken(code: string, message: string): CardRefusal {
  return { type: 'card_error', code, declineCode: code, message }
}
