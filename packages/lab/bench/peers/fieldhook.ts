// Fieldhook in the comparison: the built server as in production.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { SERVER_FLAGS } from '../../../../scripts/server-flags.mjs'
import { seedDatabase } from '../seed.ts'
import { OWN_PATH } from '../wire.ts'
import { OWN } from './figures.ts'
import { emptyFolder, launchNode, type Peer, runAgainAndAgain, untilItAnswers } from './peer.ts'

/** `serveMain`: scripts/serve-main.mjs, as a path. */
export function fieldhookPeer(input: { version: string; serveMain: string }): Peer {
  return {
    name: OWN,
    version: input.version,
    triesForSeconds: null,
    settings: [
      'The built server, started as `npm start` starts it (heap of at most 384 MB).',
      'SQLite in WAL mode; an event is answered when its commit is on disk.',
      'One account, one webhook and one address per receiver; every forward is signed; every attempt is written down.',
      'One call at a time to one address, in order.',
      'A failed forward is tried again after 5 s, 30 s, 2, 10 and 30 minutes, then hours apart, for 72 hours.',
    ],
    async start({ folder, receivers }) {
      emptyFolder(folder)
      const database = join(folder, 'fieldhook.db')
      const encKeys = `bench:${randomBytes(32).toString('base64')}`
      const { tokens } = await seedDatabase({ file: database, encKeys, urls: receivers.urls, active: true })
      const port = await freePort()
      const origin = `http://localhost:${port}`
      const env = {
        PORT: String(port),
        APP_ORIGIN: origin,
        DATABASE_URL: `file:${database}`,
        LOG_LEVEL: 'warn',
        PLATFORM: 'sandbox',
        ENC_KEYS: encKeys,
        EGRESS_ALLOW: receivers.hostsAndPorts.join(','),
      }
      return runAgainAndAgain({
        // Starts in the project's folder, where it finds its build and its migrations.
        launch: () => launchNode([...SERVER_FLAGS, input.serveMain], env, process.cwd()),
        ready: (launched) => untilItAnswers(launched, `${origin}/readyz`, (status) => status === 200, 60_000),
        target: { port, tokens, path: OWN_PATH },
        patienceMs: 25_000,
      })
    },
  }
}
