// React and Remix read NODE_ENV when they load. An assumed value is marked, to tell it from one set by hand: a
// deployment that lost the rest of its settings must not fall back to the sandbox (app/boot/env.server.ts).
export function assumeProduction() {
  if (process.env.NODE_ENV) return
  process.env.NODE_ENV = 'production'
  process.env.NODE_ENV_ASSUMED = 'yes'
}
