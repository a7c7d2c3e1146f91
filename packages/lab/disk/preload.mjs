// Loaded into a server before anything else (`node --import`): a disk that refuses or is slow, by SQLite's own means,
// where no layer fits between SQLite and the disk. PROOF_DISK names a file with `{"refuses": boolean, "commitMs":
// number}`.
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'

/** How long the file's content is cached, ms. */
const FRESH = 20
const asleep = new Int32Array(new SharedArrayBuffer(4))
let told = { refuses: false, commitMs: 0 }
let readAt = Number.NEGATIVE_INFINITY
/** Connections that currently refuse to write. @type {WeakSet<Database.Database>} */
const refusing = new WeakSet()

/** @typedef {(this: Database.Statement, ...values: unknown[]) => unknown} Run */
/** @type {{ run: Run }} */
const methods = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
const { run } = methods
methods.run = function (...values) {
  if (performance.now() - readAt > FRESH) {
    told = JSON.parse(readFileSync(process.env.PROOF_DISK ?? '', 'utf8'))
    readAt = performance.now()
  }
  const { database } = this
  if (told.refuses !== refusing.has(database) && !database.inTransaction) {
    database.pragma(`query_only = ${told.refuses ? 'ON' : 'OFF'}`)
    if (told.refuses) refusing.add(database)
    else refusing.delete(database)
  }
  if (told.commitMs > 0 && /^commit/i.test(this.source)) Atomics.wait(asleep, 0, 0, told.commitMs)
  return run.apply(this, values)
}
