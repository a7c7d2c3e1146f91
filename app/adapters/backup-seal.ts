/**
 * Seals backups so that the standard tool `age` opens them with the operator's key, and signs their manifests: sealing
 * does not prove who sealed. The implementation is `backup-seal.server.ts`.
 */
export interface BackupSeal {
  /** Uses the first key. */
  seal(plain: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>
  /** Uses any matching key. Rejects, or breaks off, when none matches or a byte was changed. */
  open(sealed: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>
  /** A keyed hash in hex, with the first key. */
  sign(text: string): string
  /** Accepts any of the keys. */
  isSigned(text: string, signature: string): boolean
}
