import type { Proof } from '#app/domain/session.ts'

export const SIGNED_MESSAGES = {
  refused: 'This call is not signed by ServiceM8, or it has expired.',
  replayed: 'This link was already used. Please open the add-on from ServiceM8 again.',
  ticket: 'This link has expired. Please open the add-on from ServiceM8 again.',
  beingErased: 'This account is being erased. Open Fieldhook again in a few minutes to start over.',
} as const

/** Identifies a signed text: by what is signed, because one signature can be spelled in several ways. */
export function signedPart(jwt: string): string {
  return jwt.trim().split('.', 2).join('.')
}

/**
 * Returns the text of a ticket from a frame to a tab. It contains the kind and the moment of the proof, so that the
 * tab is no fresher than its frame. Only the hash of the whole text is stored, so neither can be forged.
 */
export function tabTicket(secret: string, { proof, provedAt }: Pick<Proof, 'proof' | 'provedAt'>): string {
  return `${secret}.${provedAt}${proof === 'oauth' ? '.oauth' : ''}`
}

/** Ends a ticket that a person was asked with. Asked again and again, an opening would stay usable for ever. */
export const ASKED = '.asked'

/** Returns null for the ticket of an opening itself, whose moment is when it is used. */
export function proofIn(ticket: string): Pick<Proof, 'proof' | 'provedAt'> | null {
  const [, provedAt, oauth] = /^[\w-]{43}\.(\d{1,15})(\.oauth)?(?:\.asked)?$/.exec(ticket) ?? []
  return provedAt === undefined ? null : { proof: oauth ? 'oauth' : 'launch', provedAt: Number(provedAt) }
}
