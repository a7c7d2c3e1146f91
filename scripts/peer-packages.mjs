// Programs of others that ours is compared with: installed in this user's cache, never among this project's packages.
// Their own install scripts do not run; a required native package is built by name.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './children.mjs'
import { findNpm, npmEnvironment, systemName, userCache } from './packages.mjs'

const STAMP = '.installed'
const INSTALL_WITHIN_MS = 20 * 60_000
const BUILD_WITHIN_MS = 15 * 60_000

/**
 * @typedef {object} PeerPackage
 * @property {string} name as the registry knows it
 * @property {string} version exact
 * @property {string[]} native packages that have to be compiled (or fetched ready-made by their own script)
 * @property {Record<string, string>} overrides packages pinned to another version than the program requests
 * @property {string} proof a program for `node -e`, run in the folder: fails while a native package is missing
 */

/**
 * @typedef {{ outcome: 'installed', folder: string, version: string }} Installed
 * @typedef {{ outcome: 'could_not', sentence: string }} CouldNot
 */

/** The programs that `npm run bench:peers` compares with, as first measured. @type {Record<'n8n' | 'node-red', PeerPackage>} */
export const PEERS = {
  n8n: {
    name: 'n8n',
    version: '2.8.4',
    native: ['sqlite3'],
    // Its source is an address outside the registry, which many networks block. Only the spreadsheet node uses it.
    overrides: { xlsx: '0.18.5' },
    proof: "new (require('sqlite3').Database)(':memory:').close()",
  },
  'node-red': { name: 'node-red', version: '4.1.8', native: [], overrides: {}, proof: '' },
}

/**
 * Installs the program when missing. Never throws because of the registry, the compiler or the program's own needs.
 *
 * @param {PeerPackage} peer
 * @param {(line: string) => void} say
 * @returns {Promise<Installed | CouldNot>}
 */
export async function installPeer(peer, say) {
  const cache = userCache()
  if (!cache) return couldNot('there is no folder in which this user may keep it')
  const folder = join(cache, 'peers', `${peer.name}-${peer.version}-${systemName()}`)
  if (existsSync(join(folder, STAMP))) return { outcome: 'installed', folder, version: peer.version }

  const draft = `${folder}.${process.pid}`
  const forget = () => rmSync(draft, { recursive: true, force: true })
  process.once('exit', forget)
  try {
    say(`Installing ${peer.name} ${peer.version} beside the project, in ${folder} …`)
    mkdirSync(draft, { recursive: true, mode: 0o700 })
    writeFileSync(join(draft, 'package.json'), `${JSON.stringify({ private: true, overrides: peer.overrides })}\n`)
    const wanted = `${peer.name}@${peer.version}`
    // Only the program's own Node requirement counts; its dependencies may ask for a newer Node.
    const got = await npm(draft, ['install', wanted, '--ignore-scripts', '--engine-strict=false'], INSTALL_WITHIN_MS)
    if (got.outcome === 'failed') return couldNot(got.sentence)
    const demand = nodeDemand(got.output, wanted)
    if (demand !== null) return couldNot(demand)
    for (const native of peer.native) {
      say(`  building ${native} …`)
      const built = await npm(draft, ['rebuild', native, '--ignore-scripts=false'], BUILD_WITHIN_MS)
      if (built.outcome === 'failed') {
        return couldNot(`its package ${native} could not be built: ${built.sentence}`)
      }
    }
    if (peer.proof) {
      const { code, output } = await run(process.execPath, ['-e', peer.proof], { cwd: draft })
      if (code !== 0) return couldNot(`it does not start: ${lastSentence(output)}`)
    }
    writeFileSync(join(draft, STAMP), `${new Date().toISOString()}\n`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
    return { outcome: 'installed', folder, version: peer.version }
  } finally {
    process.off('exit', forget)
    forget()
  }
}

/** @param {string} sentence @returns {CouldNot} */
function couldNot(sentence) {
  return { outcome: 'could_not', sentence: `could not be installed: ${sentence}` }
}

/**
 * @param {string} folder @param {string[]} args @param {number} timeoutMs
 * @returns {Promise<{ outcome: 'done', output: string } | { outcome: 'failed', sentence: string }>}
 */
async function npm(folder, args, timeoutMs) {
  const { command, first } = findNpm()
  const quiet = ['--no-audit', '--no-fund', '--loglevel=warn', '--omit=dev']
  const { code, output, timedOut } = await run(command, [...first, ...args, ...quiet], {
    cwd: folder,
    env: npmEnvironment(folder),
    timeoutMs,
  })
  if (code === 0) return { outcome: 'done', output }
  const sentence = timedOut ? `npm was not done after ${timeoutMs / 60_000} minutes` : sentenceOfNpm(output, code)
  return { outcome: 'failed', sentence }
}

/**
 * npm's warning that this very package requires another Node, in words; null = no warning.
 *
 * @param {string} output @param {string} wanted `n8n@2.8.4`
 */
export function nodeDemand(output, wanted) {
  const at = output.indexOf(`package: '${wanted}'`)
  if (at < 0 || !output.includes('EBADENGINE')) return null
  const [, node] = /required: \{[^}]*node: '([^']+)'/.exec(output.slice(at)) ?? []
  return `it needs another Node than ${process.version}${node ? ` (${node})` : ''}`
}

/**
 * Condenses npm's output to one sentence.
 *
 * @param {string} output @param {number} code
 */
export function sentenceOfNpm(output, code) {
  if (code === 127) return 'npm was not found; it comes with Node.js'
  const [, missing] = /No matching version found for (\S+?)\.?\s|'([^']+)' is not in this registry/.exec(output) ?? []
  if (/E404|ETARGET/.test(output)) return `the registry does not have ${missing ?? 'this version'}`
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH/.test(output)) {
    return 'the registry of npm could not be reached'
  }
  if (/ENOSPC/.test(output)) return 'the disk is full'
  return lastSentence(output)
}

/** @param {string} output */
function lastSentence(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .filter((line) => line !== '' && !/^A complete log|debug-0\.log$/.test(line))
  return (lines.find((line) => /error|cannot|not found/i.test(line)) ?? lines.at(-1) ?? 'npm gave no reason').slice(
    0,
    200,
  )
}
