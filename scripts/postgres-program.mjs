// Finds a PostgreSQL to run: the pinned package (brought when missing), else the one installed on this machine.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { run } from './children.mjs'
import { isMusl, SetupError } from './packages.mjs'
import { sentenceOfNpm } from './peer-packages.mjs'
import { bringPackage, keptFolder } from './pinned-package.mjs'

const DEBIAN = '/usr/lib/postgresql'
/** Compiled without these three there is no server to start. */
const NEEDED = ['initdb', 'pg_ctl', 'postgres']

/** @type {Record<string, import('./pinned-package.mjs').Pin>} by `platform-arch` */
export const PINS = JSON.parse(readFileSync(new URL('postgres.json', import.meta.url), 'utf8'))

/** @typedef {'package' | 'machine'} Origin */
/** @typedef {{ source: string, bin: string }} Program `source` for people; `bin` holds initdb and postgres */

/**
 * @param {readonly Origin[]} origins in the order to try
 * @param {(line: string) => void} say
 * @param {{ system?: string, installed?: string, env?: Record<string, string | undefined> }} [where]
 * @returns {Promise<Program>}
 * @throws {SetupError} none of them can be had; a sentence for each
 */
export async function findPostgres(origins, say, { system = systemOf(), installed = DEBIAN, env = process.env } = {}) {
  const problems = []
  for (const origin of origins) {
    const found = origin === 'package' ? await ofPackage(say, system) : ofMachine(installed, env)
    if (typeof found !== 'string') return found
    problems.push(found)
    say(found)
  }
  throw new SetupError('There is no PostgreSQL for this:', ...problems)
}

/** Packages for Linux are linked against glibc. */
function systemOf() {
  return isMusl() ? 'musl' : `${process.platform}-${process.arch}`
}

/** @param {(line: string) => void} say @param {string} system @returns {Promise<Program | string>} or the problem */
async function ofPackage(say, system) {
  const pin = PINS[system]
  if (!pin) return `- no package of it is pinned for this system (${system})`
  const folder = keptFolder(`postgres-${pin.version}-${system}`)
  const inside = join('node_modules', pin.package)
  if (!existsSync(folder)) {
    say(`Bringing PostgreSQL (${pin.package} ${pin.version}) to ${folder} …`)
    const said = await bringPackage(pin, folder, (draft) => makeLinks(join(draft, inside)))
    if (said !== null) return `- ${pin.package} ${pin.version} could not be brought: ${sentenceOfNpm(said, 1)}`
  }
  return { source: `${pin.package} ${pin.version}`, bin: join(folder, inside, 'native/bin') }
}

/** A package cannot hold links; its own script makes them, and npm did not run it. @param {string} folder */
async function makeLinks(folder) {
  const script = join(folder, 'scripts/hydrate-symlinks.js')
  const { code, output } = await run(process.execPath, [script], { cwd: folder })
  if (code !== 0) return output.trimEnd()
  /** @type {{ target: string }[]} */
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'))
  const missing = links.filter(({ target }) => !existsSync(join(folder, target)))
  return missing.length === 0 ? null : `${missing.length} of its links could not be made`
}

/**
 * @param {string} installed holds a folder for each version
 * @param {Record<string, string | undefined>} env
 * @returns {Program | string} or the problem
 */
function ofMachine(installed, env) {
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : []
  const onPath = (env.PATH ?? '').split(delimiter).flatMap((folder) => {
    const program = join(folder, 'pg_ctl')
    return folder !== '' && existsSync(program) ? [dirname(realpathSync(program))] : []
  })
  const folders = [...versions.map((version) => join(installed, version, 'bin')), ...onPath]
  const bin = folders.find((folder) => NEEDED.every((name) => existsSync(join(folder, name))))
  return bin ? { source: bin, bin } : `- none is installed on this machine (${installed}/*/bin, pg_ctl on PATH)`
}
