// Brings one package of the registry, an exact version with its hash, into a folder of its own. Written so that an old
// Node can still parse it.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './children.mjs'
import { findNpm, npmEnvironment, userCache } from './packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {{ package: string, version: string, integrity: string }} Pin `integrity` as in a lockfile: `sha512-…` */

/** Where a brought package is kept: this user's cache, or the project's own. @param {string} name */
export function keptFolder(name) {
  return join(userCache() ?? join(ROOT, '.cache'), name)
}

/**
 * npm compares the download with the pinned hash. The folder appears complete or not at all.
 *
 * @param {Pin} pin
 * @param {string} folder
 * @param {(draft: string) => Promise<string | null>} [finish] last work before the folder appears; gives its problem
 * @returns {Promise<string | null>} null = it is there, else what npm or `finish` said
 */
export async function bringPackage(pin, folder, finish = async () => null) {
  const draft = `${folder}.${process.pid}`
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 })
  } catch (error) {
    return `Nothing can be written in ${dirname(folder)} (${/** @type {NodeJS.ErrnoException} */ (error).code}).`
  }
  const wanted = { dependencies: { [pin.package]: pin.version } }
  const locked = { version: pin.version, integrity: pin.integrity }
  writeFileSync(join(draft, 'package.json'), JSON.stringify(wanted))
  writeFileSync(
    join(draft, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, packages: { '': wanted, [`node_modules/${pin.package}`]: locked } }),
  )
  const { command, first } = findNpm()
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  try {
    const { code, output } = await run(command, [...first, ...args], { cwd: draft, env: npmEnvironment(ROOT) })
    if (code !== 0) return output.trimEnd()
    const problem = await finish(draft)
    if (problem !== null) return problem
    renameSync(draft, folder)
    return null
  } catch (error) {
    // Another command was faster.
    if (existsSync(folder)) return null
    throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
