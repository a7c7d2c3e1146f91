// Loaded into a server before anything else (`node --import`): a disk that refuses or is slow, by SQLite's own means,
// where no layer fits between SQLite and the disk. PROOF_DISK names a file with `{"refuses": boolean, "commitMs":
// number}`.
import fs, { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

/** How long the file's content is cached, ms. */
const FRESH = 20
let told = { refuses: false, commitMs: 0 }
let readAt = Number.NEGATIVE_INFINITY
/** Connections that currently refuse to write. @type {WeakSet<Database.Database>} */
const refusing = new WeakSet()

/** @typedef {(this: Database.Statement, ...values: unknown[]) => unknown} Run */
/** @type {{ run: Run }} */
const methods = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
const { run } = methods
methods.run = function (...values) {
  look()
  const { database } = this
  if (told.refuses !== refusing.has(database) && !database.inTransaction) {
    database.pragma(`query_only = ${told.refuses ? 'ON' : 'OFF'}`)
    if (told.refuses) refusing.add(database)
    else refusing.delete(database)
  }
  return run.apply(this, values)
}

const { fdatasync } = fs
/** @type {(file: number, done: fs.NoParamCallback) => void} */
const slowly = (file, done) => {
  look()
  setTimeout(() => fdatasync(file, done), told.commitMs)
}
Object.assign(fs, { fdatasync: slowly })
syncBuiltinESMExports()

function look() {
  if (performance.now() - readAt <= FRESH) return
  told = JSON.parse(readFileSync(process.env.PROOF_DISK ?? '', 'utf8'))
  readAt = performance.now()
}
