import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
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
  /node_modules\/lucide-react\/|app\/ui\/(?!zod-without-eval|toast\/toaster|sheet-dialog|confirm-dialog|tooltip)/
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

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixOptions)],
  build: {
    target: 'es2022',
    sourcemap: false,
    rollupOptions: isSsrBuild
      ? {}
      : {
          output: {
            manualChunks: (id: string) => (LOOK.test(id) ? 'look' : undefined),
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
