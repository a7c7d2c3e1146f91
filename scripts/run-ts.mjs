// Runs a TypeScript entry of this project with plain Node: bundles our own files, leaves packages external, and imports
// the result. For proofs and benchmarks: `node scripts/run-ts.mjs packages/lab/guard/guard.ts`.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const CACHE = join(ROOT, 'node_modules', '.cache', 'fieldhook')

/**
 * The subset of esbuild's API in use.
 * @typedef {{ path: string }} LoadedFile
 * @typedef {{ contents: string, loader: 'ts' | 'tsx' | 'js' | 'text' }} LoadedSource
 * @typedef {{ path: string, resolveDir: string }} WantedFile
 * @typedef {object} PluginBuild
 * @property {(on: { filter: RegExp }, find: (file: WantedFile) => LoadedFile | undefined) => void} onResolve
 * @property {(on: { filter: RegExp }, load: (file: LoadedFile) => Promise<LoadedSource>) => void} onLoad
 * @typedef {{ name: string, setup(build: PluginBuild): void }} Plugin
 * @typedef {{ build(options: object): Promise<{ outputFiles: { contents: Uint8Array }[] }> }} Bundler
 */

/**
 * Bundles `entry` (a path from the project's root) and imports it. Resolves after the entry's top-level code has run.
 * @param {string} entry
 * @returns {Promise<Record<string, unknown>>}
 */
export async function runTs(entry) {
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(await bundleTs(entry)).href).catch(explainOption)
}

/** A wrong option is a sentence, not a stack. @param {any} error @returns {never} */
export function explainOption(error) {
  if (!String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error
  const script = relative(ROOT, process.argv[1] ?? '')
  console.error(`${error.message.split('. ')[0]}. The options stand at the top of ${script}.`)
  process.exit(2)
}

/**
 * Bundles `entry` to a module that Node can run, for workers and child processes; returns its path. Resolves `#app/…`,
 * `#db/…`, `#sandbox/…`, `#lab/…` and `#tests/…` as in package.json; `import.meta.url` stays that of each source file.
 * `instead` = texts that replace files (absolute paths, existing or not); such a bundle needs its own `name`.
 * @param {string} entry
 * @param {{ instead?: ReadonlyMap<string, string>, name?: string }} [changed]
 * @returns {Promise<string>}
 */
export async function bundleTs(entry, { instead = new Map(), name } = {}) {
  const source = resolve(ROOT, entry)
  const file = join(CACHE, `${name ?? relative(ROOT, source).replace(/[^\w.-]+/g, '-')}.mjs`)
  const draft = `${file}.${process.pid}`
  await bundleTo(entry, draft, {
    jsx: 'automatic',
    sourcemap: 'inline',
    define: { 'import.meta.url': '__sourceUrl' },
    plugins: [sourceReader(instead)],
  })
  await rename(draft, file)
  return file
}

/**
 * Bundles `entry` to `file`: our own files in one, packages external. The product's build uses this directly.
 * @param {string} entry
 * @param {string} file
 * @param {object} [more] options of esbuild
 */
export async function bundleTo(entry, file, more = {}) {
  // Vite's own esbuild, at the version Vite was tested with: no second package to keep in step.
  const requireFromVite = createRequire(createRequire(import.meta.url).resolve('vite'))
  /** @type {Bundler} */
  const esbuild = requireFromVite('esbuild')
  const { outputFiles } = await esbuild.build({
    entryPoints: [resolve(ROOT, entry)],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    packages: 'external',
    logLevel: 'warning',
    ...more,
  })
  const [output] = outputFiles
  if (!output) throw new Error(`nothing to bundle in ${entry}`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, output.contents)
}

/**
 * Gives every file its own `__sourceUrl`, on its first line so that line numbers stay the same.
 * @param {ReadonlyMap<string, string>} instead
 * @returns {Plugin}
 */
function sourceReader(instead) {
  return {
    name: 'read-sources',
    setup(build) {
      if (instead.size > 0) {
        build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
          const file = resolve(resolveDir, path)
          return instead.has(file) ? { path: file } : undefined
        })
      }
      // As Vite does: imports the text itself.
      build.onResolve({ filter: /^\..*\?raw$/ }, ({ path, resolveDir }) => ({ path: resolve(resolveDir, path) }))
      build.onLoad({ filter: /\?raw$/ }, async ({ path }) => ({
        contents: await readFile(path.slice(0, -'?raw'.length), 'utf8'),
        loader: 'text',
      }))
      build.onLoad({ filter: /\.(tsx?|mjs)$/ }, async ({ path }) => {
        const text = instead.get(path) ?? (await readFile(path, 'utf8'))
        const prefix = text.includes('import.meta.url')
          ? `const __sourceUrl = ${JSON.stringify(pathToFileURL(path).href)};`
          : ''
        return { contents: prefix + text, loader: path.endsWith('x') ? 'tsx' : path.endsWith('mjs') ? 'js' : 'ts' }
      })
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry] = process.argv.splice(2, 1)
  if (!entry) {
    console.error('Usage: node scripts/run-ts.mjs <entry.ts> [arguments]')
    process.exit(2)
  }
  await runTs(entry)
}
