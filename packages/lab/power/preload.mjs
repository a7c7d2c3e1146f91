// Loaded into a server before anything else (`node --import`). PROOF_SYNC=never: the control of the power proof. Commits
// are not synced, and the server is told that they are.
// PROOF_SYNC=watch: counts commits, those made at less than NORMAL, and the syncs of the log.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

const NORMAL = 1

if (process.env.PROOF_SYNC === 'never') {
  replaceSync((_file, done) => setImmediate(done, null))
}

if (process.env.PROOF_SYNC === 'watch') {
  let commits = 0
  let lessThanNormal = 0
  let syncs = 0
  /** @typedef {(this: Database.Statement, ...values: unknown[]) => unknown} Run */
  /** @type {{ run: Run }} */
  const methods = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
  const { run } = methods
  methods.run = function (...values) {
    if (/^commit/i.test(this.source)) {
      commits++
      if (Number(this.database.pragma('synchronous', { simple: true })) < NORMAL) lessThanNormal++
    }
    return run.apply(this, values)
  }
  const { fdatasync } = fs
  replaceSync((file, done) => {
    syncs++
    fdatasync(file, done)
  })
  process.on('exit', () => console.log(`PROOF ${JSON.stringify({ commits, lessThanNormal, syncs })}`))
}

/** @param {(file: number, done: fs.NoParamCallback) => void} sync */
function replaceSync(sync) {
  Object.assign(fs, { fdatasync: sync })
  syncBuiltinESMExports()
}
