// Copies of the built product: with a fault put in (a control that must fail), with a part left out, or of the next release.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Checkout } from '../stage/server.ts'

const MIGRATIONS = 'db/migrations-postgres'
const NEEDED = ['build', 'scripts', 'db/migrations', MIGRATIONS, 'package.json']

export interface Patch {
  /** A text of the built server that stands in it exactly once. */
  from: string
  to: string
}

/** Every act of an owner passes, whether it is a member or not. */
export const FENCE_OFF: Patch = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the built program's own text.
  from: '`SELECT 1 FROM member WHERE id = ${MEMBER} FOR KEY SHARE`',
  to: '`SELECT 1`',
}

/** Nobody is rung; the others look by themselves. */
export const NO_BELL: Patch = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the built program's own text.
  from: "SET LOCAL synchronous_commit = off; NOTIFY ${CHANNEL}, '${payload}'; COMMIT",
  to: 'COMMIT',
}

export const OWN_RELEASE: Checkout = { root: resolve('.'), node: process.execPath }

const NEXT_VERSION: Patch = {
  from: `version = "${packageJson.version}"`,
  to: `version = "${packageJson.version}-next"`,
}

/** @throws when the built server does not hold the text once */
export function withPatch<T>(patch: Patch, run: (checkout: Checkout) => Promise<T>): Promise<T> {
  return withCopy((root) => patchServer(root, patch), run)
}

/** The next release: another version, and a column more in the busiest table. The release before works on it too. */
export function withNextRelease<T>(run: (checkout: Checkout) => Promise<T>): Promise<T> {
  const migration = join(MIGRATIONS, '9999_next_release.sql')
  const newest = readdirSync(MIGRATIONS).sort().at(-1)?.replace('.sql', '')
  return withCopy((root) => {
    patchServer(root, NEXT_VERSION)
    writeFileSync(join(root, migration), `-- serves: ${newest}\nALTER TABLE delivery ADD COLUMN next_release text;\n`)
  }, run)
}

async function withCopy<T>(change: (root: string) => void, run: (checkout: Checkout) => Promise<T>): Promise<T> {
  const cache = resolve('node_modules/.cache/fieldhook')
  mkdirSync(cache, { recursive: true })
  const root = mkdtempSync(join(cache, 'patched-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  // An interrupted proof leaves no copy behind.
  process.once('exit', remove)
  try {
    for (const path of NEEDED) cpSync(path, join(root, path), { recursive: true })
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    change(root)
    return await run({ root, node: process.execPath })
  } finally {
    process.off('exit', remove)
    remove()
  }
}

function patchServer(root: string, patch: Patch): void {
  const assets = join(root, 'build/server/assets')
  const holding = readdirSync(assets)
    .map((name) => join(assets, name))
    .filter((file) => readFileSync(file, 'utf8').includes(patch.from))
  const [file] = holding
  if (!file || holding.length > 1) throw new Error(`${holding.length} built files hold ${patch.from}`)
  const parts = readFileSync(file, 'utf8').split(patch.from)
  if (parts.length !== 2) throw new Error(`the built server holds it ${parts.length - 1} times: ${patch.from}`)
  writeFileSync(file, parts.join(patch.to))
}
