// `npm run doctor`: checks the health of this installation, with or without a running product; in the container as
// `node scripts/doctor.mjs`. Reads the database and changes nothing. Exits with 1 when it finds a problem.
//
//   --full   checks every page, index and reference of the file (a minute per GB)
//   --json   prints the findings as JSON
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { refuseOptions } from './help.mjs'
import { assumeProduction } from './production.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
assumeProduction()
refuseOptions('--full', '--json')
const buildFile = '../build/server/index.js'
if (!existsSync(new URL(buildFile, import.meta.url))) {
  // Outside the container, which already has the build: this clone was not started yet.
  const { orExplain, setUp } = await import('./setup.mjs')
  await orExplain(() => setUp({ build: true, packages: 'product', say: console.error }))
}
// A person's own settings; the environment takes precedence.
if (existsSync('.env')) process.loadEnvFile('.env')
const build = await import(buildFile)
const { text, exitCode } = await build.entry.module.runDoctor({
  full: process.argv.includes('--full'),
  json: process.argv.includes('--json'),
  source: process.env,
})
console.log(text)
process.exitCode = exitCode
