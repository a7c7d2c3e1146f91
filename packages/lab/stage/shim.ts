// Builds packages/lab/stage/disk-shim.c and controls it while a server runs under it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

export type BuiltShim = { outcome: 'built'; library: string } | { outcome: 'not_possible'; sentence: string }

const SOURCE = 'packages/lab/stage/disk-shim.c'
const CACHE = 'node_modules/.cache/fieldhook'

/** Compiled once per version of the source. Needs Linux and a C compiler; without them returns a sentence. */
export function buildShim(): BuiltShim {
  if (process.platform !== 'linux') {
    return {
      outcome: 'not_possible',
      sentence: `A library that stands before SQLite's writes needs Linux; this is ${process.platform}.`,
    }
  }
  const source = resolve(SOURCE)
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const library = resolve(CACHE, `disk-shim-${version}-${process.arch}.so`)
  if (existsSync(library)) return { outcome: 'built', library }
  mkdirSync(resolve(CACHE), { recursive: true })
  const draft = `${library}.${process.pid}`
  for (const compiler of ['cc', 'gcc', 'clang']) {
    const done = spawnSync(compiler, ['-shared', '-fPIC', '-O2', '-o', draft, source, '-ldl'], { encoding: 'utf8' })
    if (done.error) continue
    if (done.status !== 0)
      return { outcome: 'not_possible', sentence: `${compiler} could not compile ${SOURCE}:\n${done.stderr}` }
    renameSync(draft, library)
    return { outcome: 'built', library }
  }
  return { outcome: 'not_possible', sentence: 'There is no C compiler here: neither cc, gcc nor clang.' }
}

/** In the order of the enum in the shim. */
const WORDS = ['syncMs', 'syncError', 'writeError', 'killAtWrite', 'syncs'] as const
type Word = (typeof WORDS)[number]

export interface DiskControl {
  /** Environment of the process that runs under the shim. */
  env: Record<string, string>
  /** Takes effect at once: extra ms for every sync, an errno for syncs or writes (0 = none), a countdown to kill -9. */
  tell(word: Exclude<Word, 'syncs'>, value: number): void
  /** Syncs of the database and its log since the control was made. */
  syncs(): number
  close(): void
}

/** @param shadow folder that receives only synced data */
export function diskControl(library: string, folder: string, databaseFile: string, shadow: string | null): DiskControl {
  const file = join(folder, 'disk-control')
  writeFileSync(file, Buffer.alloc(4 * WORDS.length))
  const handle = openSync(file, 'r+')
  const word = Buffer.alloc(4)
  return {
    env: {
      LD_PRELOAD: library,
      PROOF_DATABASE: databaseFile,
      PROOF_CONTROL: file,
      ...(shadow === null ? {} : { PROOF_SHADOW: shadow }),
    },
    tell(name, value) {
      word.writeInt32LE(value)
      writeSync(handle, word, 0, 4, 4 * WORDS.indexOf(name))
    },
    syncs() {
      readSync(handle, word, 0, 4, 4 * WORDS.indexOf('syncs'))
      return word.readInt32LE()
    },
    close: () => closeSync(handle),
  }
}
