// `npm run picture`: draws docs/images/import-law.svg from the current imports of the code.
//   npm run picture -- --check     changes nothing; exits with 1 when the picture differs from the code
import './node-version.mjs'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { orExplain, ROOT, setUp } = await import('./setup.mjs')

await orExplain(async () => {
  await setUp({ build: false })
  const { run } = await import('./children.mjs')
  const { SetupError } = await import('./packages.mjs')
  const { drawPicture, graphOf, whatIsStale } = await import('./import-picture.mjs')
  const command = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  // `npm run check` reports violations of the law; this only draws the imports.
  const { output } = await run(process.execPath, [command, '--output-type', 'json', 'app', 'db', 'packages'], {
    cwd: ROOT,
  })
  if (!output.trimEnd().endsWith('}'))
    throw new SetupError(output.trim(), 'The imports could not be read; `npm run check` says more.')
  const graph = graphOf(JSON.parse(output).modules)
  const file = join(ROOT, 'docs/images/import-law.svg')
  if (process.argv.includes('--check')) {
    const stale = whatIsStale(readFileSync(file, 'utf8'), graph)
    console.log(stale.length === 0 ? 'The picture says what the code does.' : stale.join('\n'))
    process.exitCode = stale.length === 0 ? 0 : 1
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, drawPicture(graph))
  console.log(
    `Drawn: ${graph.edges.length} kinds of import between ${graph.files.size} parts, docs/images/import-law.svg`,
  )
})
