// Loaded into a server before anything else (`node --import`). PROOF_SYNCHRONOUS=normal: the control of the power
// proof. Whatever the server sets, commits are not synced, and the server is told that they are.
// PROOF_SYNCHRONOUS=watch: counts commits, and those made at less than FULL.
import Database from 'better-sqlite3'

const pragma = Database.prototype.pragma
const FULL = 2

if (process.env.PROOF_SYNCHRONOUS === 'normal') {
  /** @this {Database.Database} @param {string} source @param {Database.PragmaOptions} [options] */
  Database.prototype.pragma = function (source, options) {
    if (/^\s*synchronous\s*=/i.test(source)) return pragma.call(this, 'synchronous = NORMAL', options)
    if (/^\s*synchronous\s*$/i.test(source)) return options?.simple ? FULL : [{ synchronous: FULL }]
    return pragma.call(this, source, options)
  }
}

if (process.env.PROOF_SYNCHRONOUS === 'watch') {
  let commits = 0
  let lessThanFull = 0
  /** @typedef {(this: Database.Statement, ...values: unknown[]) => unknown} Run */
  /** @type {{ run: Run }} */
  const methods = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
  const { run } = methods
  methods.run = function (...values) {
    if (/^commit/i.test(this.source)) {
      commits++
      if (pragma.call(this.database, 'synchronous', { simple: true }) !== FULL) lessThanFull++
    }
    return run.apply(this, values)
  }
  process.on('exit', () => console.log(`PROOF ${JSON.stringify({ commits, lessThanFull })}`))
}
