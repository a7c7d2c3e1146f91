// A small repository in a temporary folder, to plant offences in: the law and the rules are run on it as on the real one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PACKAGES = [
  'better-sqlite3',
  'croner',
  'drizzle-orm',
  'express',
  'pino',
  'react',
  'undici',
  'uuid',
  'zod',
  '@remix-run/node',
]
const DEV_PACKAGES = ['fast-check', 'vitest']

/**
 * @param files text by path; a stub of every package above is there, one more (`stowaway`) is in no package.json.
 */
export function plantTree(files: Record<string, string>): { root: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'fieldhook-house-'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const versions = (names: string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']))
  put(
    'package.json',
    JSON.stringify({
      name: 'planted',
      type: 'module',
      imports: {
        '#app/*': './app/*',
        '#db/*': './db/*',
        '#sandbox/*': './packages/sandbox/*',
        '#lab/*': './packages/lab/*',
        '#tests/*': './tests/*',
      },
      dependencies: versions(PACKAGES),
      devDependencies: versions(DEV_PACKAGES),
    }),
  )
  for (const name of [...PACKAGES, ...DEV_PACKAGES, 'stowaway']) {
    put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    put(`node_modules/${name}/index.js`, 'module.exports = {}\n')
  }
  for (const [path, text] of Object.entries(files)) put(path, text)
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}
