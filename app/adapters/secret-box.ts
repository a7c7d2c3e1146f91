/** Sealing of secrets at rest: AES-256-GCM, bound to the place they stand in. The implementation is `secret-box.server.ts`. */
export interface SecretBox {
  /** `place` = where it is stored, e.g. `credential|<account uuid>|access_token`: moved elsewhere it does not open. Format `v1.<kid>.<iv>.<ct>.<tag>`. */
  seal(place: string, plain: string): string
  /** Throws when the key is unknown, the text was changed, or it stands in another place. */
  open(place: string, sealed: string): string
  /**
   * What a value is recognised by without being kept: a keyed hash, bound to its purpose. One for each key in use, that of
   * the sealing key first: store the first, look for all of them.
   */
  fingerprints(purpose: string, plain: string): string[]
}
