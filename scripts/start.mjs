// npm start: from a fresh clone to a running product. Needs no packages; installs, builds and serves in this process.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { refuseOptions } from './help.mjs'
import { assumeProduction } from './production.mjs'

refuseOptions()
const { orExplain, ROOT, setUp } = await import('./setup.mjs')

const FIRST_START = join(ROOT, '.cache/first-start.json')

await orExplain(async () => {
  const { installed, did } = await setUp({ build: true, packages: 'product' })
  assumeProduction()
  const { runServer } = await import('./run-server.mjs')
  const { openUrl } = await runServer()

  // Counted from the start of this process.
  const seconds = performance.now() / 1000
  if (installed) rememberFirstStart(seconds)
  const first = readFirstStart()
  const kind = installed ? 'first start' : 'later start'
  const notes = [did.join(', '), !installed && first ? `the first one took ${first.toFixed(1)} s` : ''].filter(Boolean)
  console.log(`\nReady in ${seconds.toFixed(1)} s (${[kind, ...notes].join('; ')})`)
  console.log(`Open ${openUrl}\n`)
})

/** @param {number} seconds */
function rememberFirstStart(seconds) {
  mkdirSync(dirname(FIRST_START), { recursive: true })
  writeFileSync(FIRST_START, JSON.stringify({ seconds }))
}

/** @returns {number | null} */
function readFirstStart() {
  try {
    return JSON.parse(readFileSync(FIRST_START, 'utf8')).seconds
  } catch {
    return null
  }
}
