// @ts-check
// The build for `remix-serve`. The stock server does not know `getLoadContext`, so each loader and action gets its
// context here.
import { randomUUID } from 'node:crypto'

// A variable hides the path from the type checker, because a build's types are not ours to check.
const buildFile = '../../build/server/index.js'
/** @type {import('@remix-run/node').ServerBuild & { entry: { module: { startApp: () => Promise<import('../../app/boot/boot.server.ts').Running> } } }} */
const build = await import(buildFile)

const running = await build.entry.module.startApp()
running.started()
const context = { app: running.app, clientIp: '127.0.0.1', nonce: randomUUID() }

/**
 * @template {{ context: object }} Args
 * @param {((args: Args) => unknown) | undefined} handle
 */
const withContext = (handle) => handle && ((/** @type {Args} */ args) => handle({ ...args, context }))

export const routes = Object.fromEntries(
  Object.entries(build.routes).flatMap(([id, route]) => {
    if (!route) return []
    const { loader, action } = route.module
    return [[id, { ...route, module: { ...route.module, loader: withContext(loader), action: withContext(action) } }]]
  }),
)

const { default: draw, handleError } = build.entry.module
/** @type {import('@remix-run/node').ServerBuild['entry']} */
export const entry = {
  module: {
    ...build.entry.module,
    default: (request, status, headers, remix) => draw(request, status, headers, remix, context),
    handleError: (error, args) => handleError?.(error, { ...args, context }),
  },
}
export const { assets, assetsBuildDirectory, basename, future, isSpaMode, mode, publicPath } = build

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    running.beginDrain()
    await running.stop()
  })
}
