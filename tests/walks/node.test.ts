// The native module and the Node that runs it fit: statements are prepared under garbage collection while pages are loaded.
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadPages } from '#tests/support/page-rounds.ts'
import { startSignedInServer } from '#tests/support/signed-in-server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

const MINUTE = 60_000

test.skipIf(aboutTheFile('the native module of SQLite'))(
  'a minute of prepared statements under garbage collection ends no process and loses no page',
  async () => {
    const preload = resolve('packages/lab/image/preload.mjs')
    const { server, browser, accountUUID } = await startSignedInServer({
      NODE_OPTIONS: `--expose-gc --import ${preload}`,
      // One account uses all there is for a minute.
      ACCOUNT_WORK_MS: '0',
      ACCOUNTS_WORK_MS: '0',
    })
    try {
      const { pages } = await loadPages(browser, accountUUID, MINUTE)
      expect(pages).toBeGreaterThan(10)
      expect((await server.drain()).code).toBe(0)
    } finally {
      await server.dispose()
    }
  },
  2 * MINUTE,
)
