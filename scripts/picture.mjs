// `npm run picture`: draws docs/images/import-law.svg from the current imports of the code.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { refuseOptions } from './help.mjs'

refuseOptions()
const { orExplain, ROOT, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { PICTURE, readImports } = await import('./import-law.mjs')
  const { drawPicture, graphOf } = await import('./import-picture.mjs')
  // `npm run check` reports violations of the law; this only draws the imports.
  const graph = graphOf((await readImports(ROOT)).modules)
  const file = join(ROOT, PICTURE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, drawPicture(graph))
  console.log(`Drawn: ${graph.edges.length} kinds of import between ${graph.files.size} parts, ${PICTURE}`)
})
