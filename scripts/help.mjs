// Imported first by commands that would otherwise begin: `--help` prints what stands on top of the command's file.
import './node-version.mjs'
import { readFileSync } from 'node:fs'

if (process.argv.includes('--help')) {
  const [top = ''] = /^(\/\/.*\r?\n)+/.exec(readFileSync(process.argv[1] ?? '', 'utf8')) ?? []
  console.log(top.replace(/^\/\/ ?/gm, '').trim())
  process.exit(0)
}

/** Ends a command that has no options when it is given one. */
export function refuseOptions() {
  const given = process.argv.slice(2)
  if (given.length === 0) return
  console.error(`Unknown: ${given.join(', ')}. There are no options; --help says what the command does.`)
  process.exit(2)
}
