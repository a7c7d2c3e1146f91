// Where backups are kept: files of two names, `<backup>/<file>`. Implemented for a folder and for S3.
import type { Millis } from '../lib/clock.ts'

export interface StoredFile {
  /** `<backup>/<file>`, letters, digits, dots and dashes. */
  name: string
  bytes: number
  storedAt: Millis
}

/** What is to be stored: a file of this machine, with the sha256 of its content in hex. */
interface FileToStore {
  path: string
  bytes: number
  sha256: string
}

/** Everything may reject with a sentence for the operator. */
export interface BackupPlace {
  /** For people, without secrets. */
  readonly words: string
  /** Everything that is there. */
  list(signal?: AbortSignal): Promise<StoredFile[]>
  /** Rejects when it is not there. */
  read(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Whole or not at all, and looked at afterwards. Replaces one of the same name. */
  write(name: string, file: FileToStore): Promise<void>
  /** Nothing happens when it is not there. */
  remove(name: string): Promise<void>
  /** A sentence when it is plain before the first backup that none can be written; asks nobody outside this machine. */
  trouble(): Promise<string | null>
}

const STORED_NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*$/

/** Throws for a name that could lead anywhere else. */
export function storedName(name: string): string {
  if (!STORED_NAME.test(name)) throw new Error(`"${name}" is not the name of a file of a backup`)
  return name
}

export function isStoredName(name: string): boolean {
  return STORED_NAME.test(name)
}
