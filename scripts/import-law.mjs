// The import law, and whether its picture shows the code as it is. Alone: node scripts/import-law.mjs
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { graphOf, whatIsStale } from './import-picture.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const PICTURE = 'docs/images/import-law.svg'
const FOLDERS = ['app', 'db', 'packages', 'scripts', 'tests']

/**
 * @typedef {{ from: string, to: string, rule: { name: string } }} Violation
 * @typedef {{ modules: import('./import-picture.mjs').Module[], summary: { violations: Violation[] } }} Imports
 */

/**
 * Every import of the tree below `root`, and those that the law forbids. Throws what the tool says when it cannot read.
 *
 * @param {string} root
 * @returns {Promise<Imports>}
 */
export async function readImports(root) {
  const tool = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const options = ['--config', join(ROOT, '.dependency-cruiser.cjs'), '--output-type', 'json']
  const { stdout } = await promisify(execFile)(process.execPath, [tool, ...options, ...FOLDERS], {
    cwd: root,
    maxBuffer: 64_000_000,
  }).catch((error) => {
    // Violations make it exit with their number; anything else it has to say is on the other stream.
    if (error.stdout) return error
    throw error
  })
  return JSON.parse(stdout)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { modules, summary } = await readImports(ROOT)
  const broken = summary.violations.map(({ from, to, rule }) => `${from} → ${to}: ${rule.name}`)
  const stale = whatIsStale(readFileSync(join(ROOT, PICTURE), 'utf8'), graphOf(modules))
  if (stale.length > 0) stale.push('Run `npm run picture` to draw it again.')
  for (const line of [...broken, ...stale]) console.log(line)
  process.exitCode = broken.length + stale.length > 0 ? 1 : 0
}
