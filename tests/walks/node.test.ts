// The native module and the Node that runs it fit: statements are prepared under garbage collection while pages are loaded. Where
// they did not, a start ended within seconds; `npm run prove:image` does it for a minute, ten times.
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPages } from '#tests/support/page-rounds.ts'
import { startSignedInServer } from '#tests/support/signed-in-server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

/** Thirty collections, while the pages are loaded seven times. The command does it for ten minutes in all. */
const WHILE_MS = 8_000

test.skipIf(aboutTheFile('the native module of SQLite'))(
  'prepared statements under garbage collection end no process and lose no page',
  async () => {
    const preload = resolve('packages/lab/image/preload.mjs')
    const { server, browser, accountUUID } = await startSignedInServer({
      NODE_OPTIONS: `--expose-gc --import ${preload}`,
      // One account uses all there is.
      ACCOUNT_WORK_MS: '0',
      ACCOUNTS_WORK_MS: '0',
    })
    try {
      // Throws when a page or an event is not answered with 200.
      await loadPages(browser, accountUUID, WHILE_MS)
      expect((await server.drain()).code).toBe(0)
    } finally {
      await server.dispose()
    }
  },
)
