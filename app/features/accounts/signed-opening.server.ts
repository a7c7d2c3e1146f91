// The add-on opens inside the platform: its signed call becomes a ticket, and the ticket becomes the frame's session.
import type { SignedWebhookClaims } from '#app/adapters/servicem8/servicem8-signed.ts'
import type { App } from '#app/context/app-context.ts'
import {
  ASKED_TICKET_LASTS,
  LAUNCH_TICKET_LASTS,
  LINK_TICKET_LASTS,
  type Proof,
  SESSION_ABSOLUTE,
} from '#app/domain/session.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { sessionHashOf } from './session.server.ts'
import { ASKED, proofIn, SIGNED_MESSAGES, signedPart, tabTicket } from './signed-opening.ts'

type SignedCall =
  | { outcome: 'opened'; accountUuid: string; ticket: string }
  | { outcome: 'webhook'; claims: SignedWebhookClaims }
  /** `accountUuid` = the account the signature names, if any. */
  | { outcome: 'refused'; status: 401 | 403 | 409; message: string; accountUuid: string | null }

/**
 * Verifies a signed body. Each opening works once: a repeat is refused with 403. A body that the platform did not sign,
 * or that has expired, is refused with 401, an account that is being erased with 409.
 */
export async function receiveSigned(
  app: Pick<App, 'store' | 'clock' | 'log' | 'readSigned'>,
  jwt: string,
): Promise<SignedCall> {
  const signed = await app.readSigned(jwt)
  switch (signed.outcome) {
    case 'webhook':
      return signed
    case 'refused':
      app.log.warn({ reason: signed.reason }, 'signed_call.refused')
      return { outcome: 'refused', status: 401, message: SIGNED_MESSAGES.refused, accountUuid: null }
    case 'opening': {
      const { accountUuid, staffUuid, replayUntil } = signed.opening
      const seen = await app.store.accounts.rememberSigned({
        tokenHash: hashToken(signedPart(jwt)),
        accountUuid,
        staffUuid,
        expiresAt: replayUntil,
      })
      if (seen === 'seen_before') {
        app.log.warn({ account: accountUuid }, 'signed_call.replayed')
        return { outcome: 'refused', status: 403, message: SIGNED_MESSAGES.replayed, accountUuid }
      }
      // Anything made now would be erased in a moment.
      if ((await app.store.accounts.erasuresUnderWay()).some((one) => one.accountUuid === accountUuid)) {
        return { outcome: 'refused', status: 409, message: SIGNED_MESSAGES.beingErased, accountUuid }
      }
      // The first sign-in brings name and zone: the signature proves only the identity.
      await app.store.accounts.ensureAccount({ uuid: accountUuid, name: '', timezone: 'UTC' })
      const ticket = await issued(app, newToken(), { kind: 'launch', accountUuid, staffUuid }, LAUNCH_TICKET_LASTS)
      return { outcome: 'opened', accountUuid, ticket }
    }
    default:
      return assertNever(signed)
  }
}

/**
 * Issues the ticket that a page inside the platform passes to a new tab, which has none of the frame's cookies: valid
 * once, for 5 minutes, for this person and account. The tab asks to confirm, as for every opening outside a frame.
 */
export function issueTabTicket(
  app: Pick<App, 'store' | 'clock'>,
  { accountUuid, staffUuid, ...proof }: Proof,
): Promise<string> {
  return issued(app, tabTicket(newToken(), proof), { kind: 'launch', accountUuid, staffUuid }, ASKED_TICKET_LASTS)
}

/** `linkTicket` is set only for an account that is not connected: the gate passes it to the sign-in in a new tab. */
type Launched =
  | { outcome: 'launched'; accountUuid: string; sessionToken: string; linkTicket: string | null }
  | { outcome: 'ask'; accountName: string; ticket: string }
  | { outcome: 'refused' }

interface LaunchRequest {
  ticket: string
  /** The browser reports that the page is in a frame; only the platform may frame us. */
  framed: boolean
  /** The user pressed the button that names the account. */
  confirmed: boolean
  /** Accounts this browser's frame is signed in to now. */
  signedInTo: readonly string[]
  /** See `finishSignIn`. */
  replaces: string[]
}

/**
 * Turns a launch ticket into a session, once. Any website can send a browser here with a ticket of its own account:
 * without confirmation, only the platform's frame is signed in, and only to an account it already shows.
 */
export async function launch(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings'>,
  { ticket, framed, confirmed, signedInTo, replaces }: LaunchRequest,
): Promise<Launched> {
  const taken = await app.store.accounts.takeTicket('launch', hashToken(ticket))
  if (!taken || (ticket.endsWith(ASKED) && !confirmed)) return { outcome: 'refused' }
  const { accountUuid, staffUuid } = taken
  const now = app.clock.now()
  const proof = proofIn(ticket) ?? { proof: 'launch', provedAt: now }
  const joinsAnother = signedInTo.length > 0 && !signedInTo.includes(accountUuid)
  if (!confirmed && (!framed || joinsAnother)) {
    const asked = tabTicket(newToken(), proof) + ASKED
    const next = await issued(app, asked, { kind: 'launch', accountUuid, staffUuid }, ASKED_TICKET_LASTS)
    const account = await app.store.accounts.findAccount(accountUuid)
    return {
      outcome: 'ask',
      accountName: account?.name || `ServiceM8 account ${accountUuid.slice(0, 8)}`,
      ticket: next,
    }
  }
  if (staffUuid !== null) await app.store.accounts.admitPerson(accountUuid, staffUuid)
  const sessionToken = newToken()
  await app.store.accounts.openSession({
    tokenHash: sessionHashOf(app)(sessionToken),
    expiresAt: now + SESSION_ABSOLUTE,
    account: { accountUuid, staffUuid, ...proof },
    replaces,
    carryProofsSince: now - SESSION_ABSOLUTE,
  })
  app.log.info({ account: accountUuid, staff: staffUuid }, 'launch.opened')
  const credential = await app.store.accounts.findCredential(accountUuid)
  const linkTicket =
    credential?.state === 'connected'
      ? null
      : await issued(app, newToken(), { kind: 'link', accountUuid, staffUuid: null }, LINK_TICKET_LASTS)
  return { outcome: 'launched', accountUuid, sessionToken, linkTicket }
}

/** The ticket itself, of which only the hash is kept. */
async function issued(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  ticket: string,
  whose: { kind: 'launch' | 'link'; accountUuid: string; staffUuid: string | null },
  lasts: number,
): Promise<string> {
  await store.accounts.issueTicket({ tokenHash: hashToken(ticket), expiresAt: clock.now() + lasts, ...whose })
  return ticket
}
