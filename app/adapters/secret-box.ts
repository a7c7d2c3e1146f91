/** Sealing of secrets at rest: AES-256-GCM, bound to the place they stand in. The implementation is `secret-box.server.ts`. */
export interface SecretBox {
  /** `place` = where it is stored, e.g. `credential|<account uuid>|access_token`: moved elsewhere it does not open. Format `v1.<kid>.<iv>.<ct>.<tag>`. */
  seal(place: string, plain: string): string
  /** Throws when the key is unknown, the text was changed, or it stands in another place. */
  open(place: string, sealed: string): string
}
