// React and Remix want to know at once that this is no development server. Who set NODE_ENV by hand is told apart: a deployment
// that lost the rest of its settings must not fall back to the sandbox (app/boot/env.server.ts).
export function assumeProduction() {
  if (process.env.NODE_ENV) return
  process.env.NODE_ENV = 'production'
  process.env.NODE_ENV_ASSUMED = 'yes'
}
