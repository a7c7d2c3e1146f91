// What `remix-serve` is given: the build as it is, with the one thing that the stock server has no word for. It knows no
// `getLoadContext`, so each loader and action gets its context here.
import { randomUUID } from 'node:crypto'
import * as build from '../../build/server/index.js'

const running = await build.entry.module.startApp()
running.started()
const context = { app: running.app, clientIp: '127.0.0.1', nonce: randomUUID() }

/** @param {((args: object) => unknown) | undefined} handle */
const withContext = (handle) => handle && ((args) => handle({ ...args, context }))

export const routes = Object.fromEntries(
  Object.entries(build.routes).map(([id, route]) => {
    const { loader, action } = route.module
    return [id, { ...route, module: { ...route.module, loader: withContext(loader), action: withContext(action) } }]
  }),
)
export const entry = {
  module: {
    ...build.entry.module,
    default: (request, status, headers, remix) => build.entry.module.default(request, status, headers, remix, context),
    handleError: (error, { request }) => build.entry.module.handleError(error, { request, context }),
  },
}
export const { assets, assetsBuildDirectory, basename, future, isSpaMode, mode, publicPath } = build

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    running.beginDrain()
    await running.stop()
  })
}
