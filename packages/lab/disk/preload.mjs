// Loaded into a server before anything else (`node --import`): a disk that refuses or is slow, by SQLite's own means, where nothing
// can be put between it and the real one. PROOF_DISK names a file with `{"refuses": boolean, "commitMs": number}`.
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'

/** ms that what was read stays true. */
const FRESH = 20
const asleep = new Int32Array(new SharedArrayBuffer(4))
let told = { refuses: false, commitMs: 0 }
let readAt = Number.NEGATIVE_INFINITY
/** Connections that refuse to write at the moment. @type {WeakSet<Database.Database>} */
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
