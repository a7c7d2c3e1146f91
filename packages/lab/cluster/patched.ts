// A copy of the built product with a fault put in: a control that must fail, or a part left out.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Checkout } from '../stage/server.ts'

const NEEDED = ['build', 'scripts', 'db/migrations', 'db/migrations-postgres', 'package.json']

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

/** @throws when the built server does not hold the text once */
export async function withPatch<T>(patch: Patch, run: (checkout: Checkout) => Promise<T>): Promise<T> {
  const cache = resolve('node_modules/.cache/fieldhook')
  mkdirSync(cache, { recursive: true })
  const root = mkdtempSync(join(cache, 'patched-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  // An interrupted proof leaves no copy behind.
  process.once('exit', remove)
  try {
    for (const path of NEEDED) cpSync(path, join(root, path), { recursive: true })
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    const assets = join(root, 'build/server/assets')
    const holding = readdirSync(assets)
      .map((name) => join(assets, name))
      .filter((file) => readFileSync(file, 'utf8').includes(patch.from))
    const [file] = holding
    if (!file || holding.length > 1) throw new Error(`${holding.length} built files hold ${patch.from}`)
    const parts = readFileSync(file, 'utf8').split(patch.from)
    if (parts.length !== 2) throw new Error(`the built server holds it ${parts.length - 1} times: ${patch.from}`)
    writeFileSync(file, parts.join(patch.to))
    return await run({ root, node: process.execPath })
  } finally {
    process.off('exit', remove)
    remove()
  }
}
