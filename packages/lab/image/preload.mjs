// Loaded into a server before anything else (`node --import`, with --expose-gc): prepares statements and collects
// garbage beside its work, which ends the process when a native module does not fit its Node.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

// The packages of the server's working folder.
const Database = createRequire(resolve('package.json'))('better-sqlite3')
const database = new Database(':memory:')
database.exec('CREATE TABLE t (a, b)')
let prepared = 0
setInterval(() => {
  for (let i = 0; i < 100; i++) database.prepare(`SELECT a, b, ${prepared++} FROM t WHERE a = ?`).all(i)
  globalThis.gc?.()
}, 250).unref()
