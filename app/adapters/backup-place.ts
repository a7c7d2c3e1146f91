// Storage for backups: files with two-part names, `<backup>/<file>`. Implemented for a folder and for S3.
import type { Millis } from '../lib/clock.ts'

export interface StoredFile {
  /** `<backup>/<file>`, letters, digits, dots and dashes. */
  name: string
  bytes: number
  storedAt: Millis
}

/** Every method may reject with a sentence for the operator. */
export interface BackupPlace {
  /** For people, without secrets. */
  readonly words: string
  /** Every stored file. */
  list(signal?: AbortSignal): Promise<StoredFile[]>
  /** Rejects when the file does not exist. */
  read(name: string): Promise<AsyncIterable<Uint8Array>>
  /**
   * All or nothing, verified afterwards. Replaces a file of the same name.
   *
   * @param file a local one; `sha256` of its content, in hex
   */
  write(name: string, file: { path: string; bytes: number; sha256: string }): Promise<void>
  /** Does nothing when the file does not exist. */
  remove(name: string): Promise<void>
  /** A sentence when it is clear before the first backup that none can be written; checks this machine only. */
  trouble(): Promise<string | null>
}

const STORED_NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*$/

/** Throws for a name that could lead elsewhere. */
export function storedName(name: string): string {
  if (!STORED_NAME.test(name)) throw new Error(`"${name}" is not the name of a file of a backup`)
  return name
}

export function isStoredName(name: string): boolean {
  return STORED_NAME.test(name)
}
