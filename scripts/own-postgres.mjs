// npm run postgres: a PostgreSQL to work with until Ctrl-C. Nothing to install, and nothing of it stays.
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { openPostgres } = await import('./postgres.mjs')
  // Other programs reach a port more easily than a socket.
  const server = await openPostgres({ from: ['package', 'machine'], listen: 'port', say: console.log })
  await server.createDatabase('fieldhook_dev')
  console.log(`\n${server.url('fieldhook_dev')}\n\nCtrl-C ends it and removes its data.`)
  const open = setInterval(() => {}, 60_000)
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, async () => {
      clearInterval(open)
      await server.stop()
    })
  }
})
