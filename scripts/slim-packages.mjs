// For the image only: removes from node_modules what no server reads. Database sources and object files, types, source
// maps, documents, tests. Licences stay. `node scripts/slim-packages.mjs [folder]`, after `npm prune --omit=dev`.
import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The server only reads the database package's JavaScript and the binary for this system. */
const OF_THE_DATABASE = ['deps', 'src']
const BINARIES = join('better-sqlite3', 'prebuilds')
const NOT_READ = /\.(d\.(ts|mts|cts)|map|md|markdown|flow|tsbuildinfo)$/i
const KEPT = /^(licen[cs]e|copying|notice)/i
/** Folders that Node never resolves by itself and that packages use for their own development. */
const FOLDERS = new Set(['test', 'tests', '__tests__', 'example', 'examples', '.github', 'man', 'docs'])

/**
 * @param {string} folder node_modules
 * @returns {number} removed bytes
 */
export function slimPackages(folder) {
  let bytes = 0
  const remove = (/** @type {string} */ path) => {
    bytes += sizeOf(path)
    rmSync(path, { recursive: true, force: true })
  }
  const others = readdirSync(join(folder, BINARIES)).filter(
    (name) => !name.endsWith(`-${process.arch}.node`) || !name.startsWith(`${process.platform}-`),
  )
  const unread = [
    ...OF_THE_DATABASE.map((name) => join('better-sqlite3', name)),
    ...others.map((name) => join(BINARIES, name)),
  ]
  for (const path of unread.map((name) => join(folder, name))) {
    if (statSync(path, { throwIfNoEntry: false })) remove(path)
  }
  const walk = (/** @type {string} */ path) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name)
      if (entry.isDirectory()) {
        // Only at the top level of a package: deeper, a folder of that name may be part of its code.
        if (FOLDERS.has(entry.name) && isPackage(path)) remove(child)
        else walk(child)
      } else if (entry.isFile() && NOT_READ.test(entry.name) && !KEPT.test(entry.name)) remove(child)
    }
    if (readdirSync(path).length === 0) rmdirSync(path)
  }
  walk(folder)
  return bytes
}

/** @param {string} path */
function isPackage(path) {
  return statSync(join(path, 'package.json'), { throwIfNoEntry: false }) !== undefined && basename(path) !== 'dist'
}

/** @param {string} path @returns {number} */
function sizeOf(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = resolve(process.argv[2] ?? 'node_modules')
  const bytes = slimPackages(folder)
  // The image build fails when a database can no longer be opened.
  const Database = createRequire(join(folder, 'x.js'))('better-sqlite3')
  new Database(':memory:').close()
  console.log(`Took ${(bytes / 2 ** 20).toFixed(1)} MB out of ${folder}.`)
}
