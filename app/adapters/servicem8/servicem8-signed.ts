// The add-on's signed calls: an opened page, or a webhook of the manifest (facts: 3.3, 4.5).

/** What a valid signature proves. The platform's access token inside it is never used. */
export type SignedRequest =
  | { outcome: 'opening'; opening: SignedOpening }
  | { outcome: 'webhook'; claims: SignedWebhookClaims }
  /** `reason` is for the log; the caller learns only of the refusal. */
  | { outcome: 'refused'; reason: 'malformed' | 'signature' | 'expired' | 'claims' }

interface SignedOpening {
  accountUuid: string
  staffUuid: string | null
  /** The manifest's event, e.g. a button or a menu item. */
  eventName: string
  /** How long to remember this exact text: an earlier repeat is refused. Epoch ms. */
  replayUntil: number
}

export interface SignedWebhookClaims {
  accountUuid: string
  /** Lower case, no underscores. */
  object: string
  /** As sent: a list of `{uuid, changed_fields, time}`. */
  entry: unknown
  resourceUrl: string
}

/** Checks and reads one signed body. Never throws for untrusted input. */
export type ReadSigned = (jwt: string) => Promise<SignedRequest>
