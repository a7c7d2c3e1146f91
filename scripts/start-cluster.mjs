// npm run start:cluster: PostgreSQL and three instances behind one address, to see several at work and to kill one.

import { randomBytes } from 'node:crypto'
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, setUp } = await import('./setup.mjs')

const INSTANCES = 3
const APP_ID = 'cluster'
/** What the instances may know of the caller's own environment. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SystemRoot']

await orExplain(async () => {
  await setUp({ build: true, packages: 'product' })
  const { openPostgres } = await import('./postgres.mjs')
  const { freePort } = await import('./postgres-process.mjs')
  const { SetupError } = await import('./packages.mjs')
  const { runTs } = await import('./run-ts.mjs')
  const { createFront } = await import('./cluster-front.mjs')
  const { startInstances } = await import('./cluster-instances.mjs')

  const port = Number(process.env.PORT || 3000)
  if (!(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new SetupError('PORT must be a whole number from 1 to 65535.')
  const origin = `http://localhost:${port}`
  const appSecret = randomBytes(24).toString('base64url')
  const token = randomBytes(32).toString('hex')
  const { playAlone } = /** @type {typeof import('../packages/sandbox/alone.server.ts')} */ (
    await runTs('packages/sandbox/alone.server.ts')
  )
  const sandbox = playAlone({ origin, appId: APP_ID, appSecret, complain: console.error })
  /** @type {ReturnType<typeof startInstances> | null} */
  let cluster = null
  const front = createFront(() => cluster?.instances ?? [], sandbox.handle)
  await front.listen(port, '127.0.0.1').catch((error) => {
    throw new SetupError(
      `Port ${port} cannot be used (${error.code}). Stop the other program, or set PORT to a free one.`,
    )
  })

  // Over a socket nobody else on this machine reaches it.
  const server = await openPostgres({ from: ['package', 'machine'], say: console.log })
  let signals = 0
  const stop = async (/** @type {number} */ code) => {
    signals += 1
    if (signals > 1) process.exit(1)
    console.log('\nEnding the instances …')
    await cluster?.stop()
    await Promise.all([front.close(), sandbox.stop()])
    await server.stop()
    process.exit(code)
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => stop(0))
  await server.createDatabase('fieldhook_cluster')

  const started = performance.now()
  let told = false
  cluster = startInstances({
    ports: await Promise.all(Array.from({ length: INSTANCES }, freePort)),
    token,
    say: console.log,
    env: {
      ...Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      APP_ORIGIN: origin,
      TRUST_PROXY: 'fly',
      DATABASE_URL: server.url('fieldhook_cluster'),
      PLATFORM: 'servicem8',
      SERVICEM8_APP_ID: APP_ID,
      SERVICEM8_APP_SECRET: appSecret,
      SERVICEM8_API_URL: sandbox.apiUrl,
      SERVICEM8_OAUTH_URL: sandbox.oauthUrl,
      ADMIN_ACCOUNTS: sandbox.firstAccountUuid(),
      EGRESS_ALLOW: `localhost:${port}`,
      SESSION_SECRET: randomBytes(32).toString('base64url'),
      ENC_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      METRICS_TOKEN: token,
      LOG_LEVEL: process.env.LOG_LEVEL || 'error',
    },
    changed({ name, pid, ready, shares }) {
      console.log(`${name}, pid ${pid}: ${shares ?? 'no'} of 64 shares${ready ? '' : ', not ready'}`)
      if (!told && cluster?.instances.every((one) => one.ready)) {
        told = true
        welcome()
      }
    },
  })
  cluster.kept.catch(async (error) => {
    console.error(error.message)
    await stop(1)
  })

  function welcome() {
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const victim = cluster?.instances.at(-1)?.pid
    console.log(`\nReady in ${seconds} s: ${INSTANCES} instances share the work on one PostgreSQL.`)
    console.log(`Open ${origin}/sandbox`)
    console.log(`\nKill one, and see the others go on: kill -9 ${victim}`)
    console.log('Ctrl-C ends everything and removes its data.\n')
  }
})
