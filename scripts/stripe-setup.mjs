// `npm run stripe:setup [-- --overage]`: creates product, price, portal settings and webhook in the Stripe account of
// the key in .env, and prints the settings for .env. Can be run again at any time: it leaves existing objects alone.
import { existsSync } from 'node:fs'
import { refuseOptions } from './help.mjs'

refuseOptions('--overage')

const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false, packages: 'product' })
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase, APP_ORIGIN: origin } = process.env
  if (!secretKey || !origin) {
    console.error('Set STRIPE_SECRET_KEY and APP_ORIGIN in .env first: the webhook is made for that address.')
    process.exit(2)
  }
  const { runTs } = await import('./run-ts.mjs')
  const { setUpStripe } = await runTs('app/adapters/stripe/stripe-setup.server.ts')
  const options = {
    secretKey,
    apiBase: apiBase || null,
    origin: origin.replace(/\/+$/, ''),
    overage: process.argv.includes('--overage'),
    say: (/** @type {string} */ line) => console.log(line),
  }
  const lines = await /** @type {Function} */ (setUpStripe)(options).catch((/** @type {Error} */ error) => {
    console.error(`Stripe said: ${error.message}`)
    process.exit(1)
  })
  console.log(`\nPut this into .env:\n\n${lines.join('\n')}\n`)
})
