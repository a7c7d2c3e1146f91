import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { CLUSTER_FLAGS, SERVER_FLAGS } from '../../scripts/server-flags.mjs'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

test('npm start and the container give Node the flags that are measured', () => {
  expect(packageJson.scripts.start).toBe(`node ${SERVER_FLAGS.join(' ')} scripts/start.mjs`)
  expect(read('Dockerfile')).toContain(
    `CMD ${JSON.stringify(['node', ...SERVER_FLAGS, 'scripts/serve-main.mjs']).replaceAll(',', ', ')}`,
  )
})

test('files that deploy several instances give each the flags of the proof', () => {
  const words = ['node', ...CLUSTER_FLAGS, 'scripts/serve-main.mjs']
  expect(read('compose.cluster.yml')).toContain(`command: [${words.join(', ')}]`)
  expect(read('fly.cluster.toml')).toContain(`app = "${words.join(' ')}"`)
})
