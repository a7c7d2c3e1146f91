// npm run dev: the same server, with pages from Vite that reload when they change.
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, ROOT, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false, packages: 'product' })
  process.env.NODE_ENV ??= 'development'
  const { createServer } = await import('vite')
  const { runServer } = await import('./run-server.mjs')
  const vite = await createServer({ root: ROOT, server: { middlewareMode: true }, appType: 'custom' })
  const { openUrl } = await runServer(vite)
  console.log(`\nReady in ${(performance.now() / 1000).toFixed(1)} s (development: pages reload as they change)`)
  console.log(`Open ${openUrl}\n`)
})
