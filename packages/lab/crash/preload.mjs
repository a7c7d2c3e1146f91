// Loaded into a server before anything else (`node --import`): kills the process like a power switch, at one exact
// statement. PROOF_FAULT contains the fault (packages/lab/crash/faults.ts).
import Database from 'better-sqlite3'

/** @type {import('./faults.ts').Fault} */
const { statement, nth, point } = JSON.parse(process.env.PROOF_FAULT ?? '')
const wanted = new RegExp(statement)
let seen = 0
/** The transaction of the statement is still open. */
let commitCounts = false

/** @typedef {(this: Database.Statement, ...values: unknown[]) => unknown} Method */

/** @type {Record<string, Method>} */
const methods = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
for (const name of ['run', 'get', 'all']) {
  const real = /** @type {Method} */ (methods[name])
  methods[name] = function (...values) {
    return around(this.source, () => real.apply(this, values))
  }
}
// Schema changes use `exec`.
const { exec } = Database.prototype
Database.prototype.exec = function (/** @type {string} */ source) {
  return around(source, () => exec.call(this, source))
}

/**
 * @template T
 * @param {string} source @param {() => T} act
 */
function around(source, act) {
  const isIt = wanted.test(source) && ++seen === nth
  const isCommit = commitCounts && /^commit/i.test(source)
  if ((isIt && point === 'before') || (isCommit && point === 'before commit')) end()
  const result = act()
  if ((isIt && point === 'after') || (isCommit && point === 'after commit')) end()
  if (isIt) commitCounts = true
  return result
}

function end() {
  process.kill(process.pid, 'SIGKILL')
}
