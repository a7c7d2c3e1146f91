// `npm run doctor`: is this installation well? Works beside a running product and without one; in the container as
// `node scripts/doctor.mjs`. Reads the database and changes nothing in it. Ends with 1 when something is not well.
//
//   --full   looks at every page, index and reference of the file (a minute per GB)
//   --json   prints the findings as JSON
import './node-version.mjs'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assumeProduction } from './production.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
assumeProduction()
const known = ['--full', '--json']
const unknown = process.argv.slice(2).filter((argument) => !known.includes(argument))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are ${known.join(' and ')}.`)
  process.exit(2)
}
const buildFile = '../build/server/index.js'
if (!existsSync(new URL(buildFile, import.meta.url))) {
  // Not in the container, where the build is there: a clone that was not started yet.
  const { orExplain, setUp } = await import('./setup.mjs')
  await orExplain(() => setUp({ build: true, say: console.error }))
}
// A person's own settings; what is set in the environment counts more.
if (existsSync('.env')) process.loadEnvFile('.env')
const build = await import(buildFile)
const { text, exitCode } = await build.entry.module.runDoctor({
  full: process.argv.includes('--full'),
  json: process.argv.includes('--json'),
  source: process.env,
})
console.log(text)
process.exitCode = exitCode
