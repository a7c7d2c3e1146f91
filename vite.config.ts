import { vitePlugin as remix } from '@remix-run/dev'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import remixOptions from './remix.config.js'

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true
  }
}

export default defineConfig({
  plugins: [tailwindcss(), remix(remixOptions)],
  build: { target: 'es2022', sourcemap: false },
  // Native module: it must stay a require at run time, not a bundled file.
  ssr: { external: ['better-sqlite3'] },
})
