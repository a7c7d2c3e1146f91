// `npm run docs:api`: writes docs/api.md from the calls and docs/parts/api-introduction.md. A test fails when it is out
// of date.

import { readFileSync, writeFileSync } from 'node:fs'
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { runTs } = await import('./run-ts.mjs')
  const { referenceMarkdown } = await runTs('app/features/reference/reference-markdown.ts')
  const { REFERENCE } = await runTs('app/routes/api/calls.server.ts')
  const introduction = readFileSync('docs/parts/api-introduction.md', 'utf8')
  writeFileSync('docs/api.md', /** @type {Function} */ (referenceMarkdown)(REFERENCE, introduction))
  console.log('Wrote docs/api.md.')
})
