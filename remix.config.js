// The Remix plugin's options. Vite reads no `remix.config.js` by itself: `vite.config.ts` imports this file.

/** @type {import('@remix-run/dev').VitePluginConfig} */
export default {
  appDirectory: 'app',
  buildDirectory: 'build',
  ignoredRouteFiles: ['**/*'],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    // Off: with it, a fetcher whose address is still being looked up gets a 404 page when another form of the page is answered.
    // The whole table of addresses is 2 KB, and cached.
    v3_lazyRouteDiscovery: false,
    v3_routeConfig: true,
  },
}
