// Loaded before an instance: it believes that it has a machine of its own, as it has in earnest. Otherwise the others would
// see at once that its process has ended, and nobody would ever wait for a lease.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const read = fs.readFileSync
/** @type {Function} */
const readAsIfElsewhere = (/** @type {unknown[]} */ ...given) =>
  given[0] === '/proc/sys/kernel/random/boot_id' ? process.env.PROOF_MACHINE : Reflect.apply(read, fs, given)
Object.assign(fs, { readFileSync: readAsIfElsewhere })
syncBuiltinESMExports()
