import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import remixOptions from './remix.config.js'

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true
  }
}

/**
 * What every page is drawn with comes as one file that stays in the browser's cache; a page adds its own few. Left alone the bundler
 * makes a file of each icon and each button: sixty for a page, and a third more bytes (`npm run bench:pages`). What only some pages
 * open, and what waits until it is wanted, stays apart.
 */
const LOOK =
  /node_modules\/lucide-react\/|app\/ui\/(?!undo-line|meter|reconnect-notice|form\/(copy-field|search-key|text-me|unsaved-changes)|ask-first|scripts-ahead|zod-without-eval|toast\/toast(?:er|-place)|sheet-dialog|confirm-dialog|tooltip|chart|pictures)/
/** Icons that only the page of the rule form uses, only runs and recipes, or only other pages: each page loads its own. */
const ICON = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.m?js$/
const RARE = new Set(['reference', 'lookups', 'ops', 'templates', 'accounts'])
const usedBy = iconsBySource()

function chunkOf(id: string): string | undefined {
  const sources = usedBy.get(ICON.exec(id)?.[1] ?? '')
  if (sources === undefined) return LOOK.test(id) ? 'look' : undefined
  const isOfAutomations = (path: string) => /^features\/(automations|templates)\//.test(path)
  const isOnFormPage = (path: string) => /^features\/automations\/(form|page)\//.test(path)
  if (sources.every(isOfAutomations)) return sources.some(isOnFormPage) ? 'look-automations' : 'look-runs'
  if (sources.some((path) => path.startsWith('ui/') || isOfAutomations(path))) return 'look'
  const features = new Set(sources.map((path) => path.split('/')[1]))
  return features.size === 1 && RARE.has([...features][0] ?? '') ? 'look-rare' : 'look-pages'
}

/** Which files of the product import an icon, by its file's name: `file-plus-2`. */
function iconsBySource(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of globSync('**/*.tsx', { cwd: 'app' })) {
    const text = readFileSync(join('app', path), 'utf8')
    for (const name of text.match(/import \{([^}]*)\} from 'lucide-react'/)?.[1]?.match(/\b[A-Z]\w+/g) ?? []) {
      const file = name.replace(/(?<=.)(?=[A-Z])|(?<=[a-z])(?=\d)/g, '-').toLowerCase()
      found.set(file, [...(found.get(file) ?? []), path])
    }
  }
  return found
}

/** Smaller pieces are put together. Characters. With a larger number, pages load parts of other pages. */
const SMALL = 1_000

/**
 * Packages of plain JavaScript that the server's bundle takes in, as far as they are used: it starts with 750 files instead of 1,470
 * and in two thirds of the processor time. What keeps one instance for itself and others (React, Remix), opens files of its own
 * (pino, undici) or is native stays outside.
 */
const TAKEN_INTO_THE_SERVER = [
  /^@conform-to\//,
  /^@oslojs\//,
  '@mjackson/headers',
  'arctic',
  'aws4fetch',
  'croner',
  'drizzle-orm',
  'jose',
  'lucide-react',
  'p-retry',
  'remix-auth',
  'remix-auth-oauth2',
  'stripe',
  'uuid',
  'zod',
]

/**
 * Node 24 keeps a file with one letter beyond ASCII at two bytes a character: 5.2 MB for the server's largest instead of 2.6.
 * Strings and regular expressions may hold an escape instead of the letter.
 */
const oneByteLetters: Plugin = {
  name: 'one-byte-letters',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escapeOf)
    }
  },
}

function escapeOf(letter: string, at: number, code: string): string {
  if (code[at - 1] === '\\' || /\braw`[^`]*$/.test(code.slice(Math.max(0, at - 500), at)))
    throw new Error(`“${letter}” cannot be written as an escape there: ${code.slice(at - 40, at + 20)}`)
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Written beside each file of a page, once and as small as it gets: 15 % less than what can be done while a browser waits. */
const writtenSmaller: Plugin = {
  name: 'written-smaller',
  async writeBundle({ dir = '' }, bundle) {
    const compress = promisify(brotliCompress)
    const written = Object.values(bundle).map(async (file) => {
      const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      if (!/\.woff2$/.test(file.fileName))
        await writeFile(`${join(dir, file.fileName)}.br`, await compress(content, { params }))
    })
    await Promise.all(written)
  },
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixOptions), isSsrBuild ? oneByteLetters : writtenSmaller],
  build: {
    target: 'es2022',
    sourcemap: false,
    rollupOptions: isSsrBuild
      ? {}
      : {
          // A page that uses nothing of such a file does not load it, also where the bundler cannot tell that its tables only hold words.
          treeshake: { moduleSideEffects: (id) => !/\/app\/(?:domain|features)\//.test(id) },
          output: {
            manualChunks: chunkOf,
            experimentalMinChunkSize: SMALL,
          },
        },
  },
  ssr: {
    // Native module: it must stay a require at run time, not a bundled file.
    external: ['better-sqlite3'],
    noExternal: TAKEN_INTO_THE_SERVER,
  },
}))
