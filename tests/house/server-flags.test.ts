import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { SERVER_FLAGS } from '../../scripts/server-flags.mjs'

test('npm start and the container give Node the flags that are measured', () => {
  expect(packageJson.scripts.start).toBe(`node ${SERVER_FLAGS.join(' ')} scripts/start.mjs`)
  const container = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
  expect(container).toContain(
    `CMD ${JSON.stringify(['node', ...SERVER_FLAGS, 'scripts/serve-main.mjs']).replaceAll(',', ', ')}`,
  )
})
