/**
 * Seals backups so that the ordinary tool `age` opens them with the operator's key, and signs their manifests: sealing to a key
 * says nothing about who sealed. The implementation is `backup-seal.server.ts`.
 */
export interface BackupSeal {
  /** With the first key. */
  seal(plain: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>
  /** With whichever key fits. Rejects, or breaks off, when none does or a byte was changed. */
  open(sealed: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>
  /** A keyed hash in hex, with the first key. */
  sign(text: string): string
  /** By any of the keys. */
  isSigned(text: string, signature: string): boolean
}
