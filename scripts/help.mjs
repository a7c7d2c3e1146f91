// Imported first by commands that would otherwise begin: `--help` prints what stands on top of the command's file.
import './node-version.mjs'
import { readFileSync } from 'node:fs'

if (process.argv.includes('--help')) {
  const [top = ''] = /^(\/\/.*\r?\n)+/.exec(readFileSync(process.argv[1] ?? '', 'utf8')) ?? []
  console.log(top.replace(/^\/\/ ?/gm, '').trim())
  process.exit(0)
}

/**
 * Ends a command that is given an option it does not have.
 *
 * @param {...string} known
 */
export function refuseOptions(...known) {
  const given = process.argv.slice(2).filter((one) => !known.includes(one))
  if (given.length === 0) return
  const there = known.length === 0 ? 'There are no options' : `What there is: ${known.join(' and ')}`
  console.error(`Unknown: ${given.join(', ')}. ${there}; --help says what the command does.`)
  process.exit(2)
}
