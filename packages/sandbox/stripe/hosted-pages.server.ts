// `/sandbox/stripe/authenticate/…` and `/sandbox/stripe/portal/…`: plain pages and forms, no scripts.
import { fieldOf, pathParts } from '../console/form.ts'
import { pageAnswer } from '../console/page-answer.server.ts'
import type { Answer } from '../http.server.ts'
import { callable } from '../post.server.ts'
import { type Books, portalUrl } from './books.server.ts'
import { customerView } from './catalogue-views.ts'
import { completeAuthentication, failAuthentication, payInvoice } from './collecting.server.ts'
import { AuthenticationPage, NoticePage, PortalPage, type PortalView } from './hosted-pages.tsx'
import { attachMethod, createMethod } from './intents.server.ts'
import { changeSubscription } from './invoicing.server.ts'
import { allOf, findIn, getIn, type Intent, type PortalSession, type Subscription } from './ledger.ts'
import { StripeFailure } from './stripe-failure.ts'
import { SANDBOX_STRIPE } from './stripe-options.ts'
import { endSubscription } from './subscribing.server.ts'
import { findCard, getCard } from './test-cards.ts'

/** How long a portal address is valid. */
const SESSION_SECONDS = 3600

/** @param path the part after `/sandbox/stripe/`. Null when there is no such page. */
export function hostedPage(books: Books, path: string, query: URLSearchParams): Answer | null {
  const bank = pathParts('authenticate/:intent', path)
  if (bank) return questionPage(books, bank.intent ?? '', query.get('client_secret') ?? '')
  const portal = pathParts('portal/:session', path)
  return portal ? portalPage(books, portal.session ?? '', query.get('said') ?? '') : null
}

/** Performs the action of a button on such a page. Null when there is no such button. */
export function hostedPost(books: Books, path: string, form: URLSearchParams): Answer | null {
  const bank = pathParts('authenticate/:intent', path)
  if (bank) return answerBank(books, bank.intent ?? '', form)
  const portal = pathParts('portal/:session/:action', path)
  return portal ? actInPortal(books, portal.session ?? '', portal.action ?? '', form) : null
}

function findAsked(books: Books, intentId: string, clientSecret: string): Intent | null {
  const intent = findIn(books.ledger.intents, intentId)
  return intent?.clientSecret === clientSecret ? intent : null
}

function questionPage(books: Books, intentId: string, clientSecret: string): Answer {
  const intent = findAsked(books, intentId, clientSecret)
  const method = findIn(books.ledger.paymentMethods, intent?.awaiting?.paymentMethod ?? null)
  if (!intent?.awaiting || !method) return overPage()
  const view = {
    action: `${SANDBOX_STRIPE.basePath}/authenticate/${intent.id}`,
    clientSecret,
    amount: intent.amount,
    currency: intent.currency,
    last4: method.number.slice(-4),
  }
  const { returnUrl } = intent.awaiting
  return pageAnswer(200, AuthenticationPage(view), callable(returnUrl, books.origin) ? [new URL(returnUrl).origin] : [])
}

function overPage(): Answer {
  const words = 'This payment does not wait for an answer any more. Go back to Fieldhook and look at your subscription.'
  return pageAnswer(404, NoticePage({ title: 'Nothing to answer', words }))
}

function answerBank(books: Books, intentId: string, form: URLSearchParams): Answer {
  const intent = findAsked(books, intentId, fieldOf(form, 'client_secret'))
  if (!intent?.awaiting) return overPage()
  const { returnUrl } = intent.awaiting
  const complete = fieldOf(form, 'answer') === 'complete'
  if (complete) completeAuthentication(books, intent)
  else failAuthentication(books, intent)
  // Never redirect off this machine.
  if (!callable(returnUrl, books.origin)) {
    const words = complete ? 'The payment went through.' : 'The payment was not made.'
    return pageAnswer(200, NoticePage({ title: complete ? 'Thank you' : 'Not paid', words }))
  }
  const url = new URL(returnUrl)
  url.searchParams.set('payment_intent', intent.id)
  url.searchParams.set('payment_intent_client_secret', intent.clientSecret)
  url.searchParams.set('redirect_status', complete ? 'succeeded' : 'failed')
  return seeOther(url.href)
}

function seeOther(location: string): Answer {
  return { status: 303, headers: { location }, body: '' }
}

function liveSession(books: Books, id: string): PortalSession | null {
  const session = findIn(books.ledger.portalSessions, id)
  return session && session.created > books.now() - SESSION_SECONDS ? session : null
}

const SAID: Record<string, PortalView['said']> = {
  canceled: { tone: 'working', text: 'Your subscription ends with the paid month.' },
  ended: { tone: 'working', text: 'Your subscription has ended.' },
  resumed: { tone: 'working', text: 'Your subscription goes on.' },
  card: { tone: 'working', text: 'The card is saved.' },
  paid: { tone: 'working', text: 'The invoice is paid.' },
  'not-card': { tone: 'failing', text: 'The card was not saved: check the expiry date and the CVC.' },
  'not-paid': { tone: 'failing', text: 'The card was declined. Use another one.' },
}

function portalPage(books: Books, id: string, said: string): Answer {
  const { ledger } = books
  const session = liveSession(books, id)
  if (!session) {
    const words = 'This link has been used up. Open your billing from Fieldhook again.'
    return pageAnswer(404, NoticePage({ title: 'Your billing', words }))
  }
  const rules = getIn(ledger.portalConfigurations, session.configuration)
  const view: PortalView = {
    base: new URL(portalUrl(books, session.id)).pathname,
    returnUrl: session.returnUrl,
    headline: rules.headline,
    subscriptions: subscriptionsOf(books, session).map((sub) => ({
      id: sub.id,
      name: nameOf(books, sub),
      status: sub.status,
      periodEnd: (sub.cancelAt ?? sub.periodEnd) * 1000,
      endsThen: sub.cancelAtPeriodEnd || sub.cancelAt !== null,
      card: cardWords(books, sub),
    })),
    invoices: allOf(ledger.invoices)
      .filter((one) => one.customer === session.customer && one.status !== 'draft')
      .reverse()
      .map((one) => ({
        id: one.id,
        number: one.number ?? '',
        at: one.created * 1000,
        amount: one.amountDue,
        currency: one.currency,
        status: one.status,
      })),
    may: { cancel: rules.cancel, changeCard: rules.paymentMethodUpdate, seeInvoices: rules.invoiceHistory },
    said: Object.hasOwn(SAID, said) ? (SAID[said] ?? null) : null,
  }
  return pageAnswer(200, PortalPage(view))
}

/** Subscriptions the customer can still change. */
function subscriptionsOf(books: Books, session: PortalSession): Subscription[] {
  return allOf(books.ledger.subscriptions).filter(
    (sub) => sub.customer === session.customer && sub.endedAt === null && sub.status !== 'incomplete',
  )
}

function nameOf({ ledger }: Books, sub: Subscription): string {
  const price = sub.items[0] ? findIn(ledger.prices, sub.items[0].price) : null
  return findIn(ledger.products, price?.product ?? null)?.name ?? 'Subscription'
}

function cardWords({ ledger }: Books, sub: Subscription): string {
  const customer = getIn(ledger.customers, sub.customer)
  const method = findIn(ledger.paymentMethods, sub.defaultPaymentMethod ?? customer.defaultPaymentMethod)
  return method ? `${getCard(method.number).brand} ending in ${method.number.slice(-4)}` : ''
}

function actInPortal(books: Books, id: string, action: string, form: URLSearchParams): Answer | null {
  const session = liveSession(books, id)
  if (!session) return null
  const said = (what: string) => seeOther(`${new URL(portalUrl(books, session.id)).pathname}?said=${what}`)
  const rules = getIn(books.ledger.portalConfigurations, session.configuration)
  switch (action) {
    case 'cancel':
    case 'resume': {
      const sub = subscriptionsOf(books, session).find((one) => one.id === fieldOf(form, 'subscription'))
      if (!sub || !rules.cancel) return null
      if (action === 'cancel' && rules.cancelMode === 'immediately') {
        endSubscription(books, sub, 'cancellation_requested')
        return said('ended')
      }
      changeSubscription(books, sub, () => {
        sub.cancelAtPeriodEnd = action === 'cancel'
        sub.cancelAt = null
        sub.canceledAt = action === 'cancel' ? books.now() : null
        sub.cancellationReason = action === 'cancel' ? 'cancellation_requested' : null
      })
      return said(action === 'cancel' ? 'canceled' : 'resumed')
    }
    case 'card':
      return rules.paymentMethodUpdate ? said(changeCard(books, session, form) ? 'card' : 'not-card') : null
    case 'pay': {
      const invoice = findIn(books.ledger.invoices, fieldOf(form, 'invoice'))
      if (invoice?.customer !== session.customer || invoice.status !== 'open') return null
      try {
        payInvoice(books, invoice, null)
        return said('paid')
      } catch (error) {
        if (error instanceof StripeFailure) return said('not-paid')
        throw error
      }
    }
    default:
      return null
  }
}

function changeCard(books: Books, session: PortalSession, form: URLSearchParams): boolean {
  const number = fieldOf(form, 'number')
  const card = findCard(number)
  const date = /^(\d{1,2})\s*\/?\s*(\d{2}|\d{4})$/.exec(fieldOf(form, 'expiry'))
  const expMonth = Number(date?.[1] ?? 0)
  const expYear = Number(date?.[2] ?? 0) + (date?.[2]?.length === 2 ? 2000 : 0)
  const now = new Date(books.now() * 1000)
  const gone = expYear * 12 + expMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  if (!card || card.refuses || expMonth < 1 || expMonth > 12 || gone) return false
  if (!/^\d{3,4}$/.test(fieldOf(form, 'cvc'))) return false
  const method = createMethod(books, { number, expMonth, expYear, postcode: null })
  // Saving a card includes the bank's authentication; here it counts as passed.
  method.authenticated = true
  attachMethod(books, method, session.customer)
  const customer = getIn(books.ledger.customers, session.customer)
  customer.defaultPaymentMethod = method.id
  books.emit('customer.updated', customerView(customer))
  for (const sub of subscriptionsOf(books, session)) {
    changeSubscription(books, sub, () => {
      sub.defaultPaymentMethod = method.id
    })
  }
  return true
}
