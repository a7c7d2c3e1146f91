// The container's main: packages and pages are already built, so it only serves. It receives SIGTERM directly.
import './node-version.mjs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
process.env.NODE_ENV ??= 'production'
const { runServer } = await import('./run-server.mjs')
const { url } = await runServer()
console.log(`Serving ${url}`)
