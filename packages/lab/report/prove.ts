// Runs every proof and bench in sequence, lets each record its figures, and makes docs/proof.md from them.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../../scripts/children.mjs'
import { CATALOG, type CatalogEntry } from './catalog.ts'
import type { Recorded } from './figures.ts'
import { proofPage } from './page.ts'

const FIGURES = resolve('docs/proof')
const USAGE = `Usage: npm run prove -- [--only a,b] [--skip c] [--page] [--list]
  --only  some of them        --skip  all but these
  --page  runs nothing, makes docs/proof.md anew from docs/proof/*.json
  --list  names, commands and about how long each takes
Names: ${CATALOG.map(({ name }) => name).join(', ')}`

/** Returns the exit code: 1 when a proof failed. */
export async function prove(args: string[], prepare: () => Promise<unknown>): Promise<number> {
  const asked = readAsked(args)
  if (typeof asked === 'string') {
    console.error(`${asked}\n${USAGE}`)
    return 2
  }
  if (asked.list) {
    for (const { name, command, args, minutes, quiet } of CATALOG)
      console.log(
        `${name.padEnd(18)}${`${minutes} min`.padEnd(8)}${quiet ? 'quiet   ' : '        '}npm run ${[command, ...(args.length > 0 ? ['--', ...args] : [])].join(' ')}`,
      )
    return 0
  }
  const outcomes: { name: string; code: number; minutes: string }[] = []
  if (!asked.page) {
    await prepare()
    const minutes = asked.chosen.reduce((sum, one) => sum + one.minutes, 0)
    console.log(
      `${asked.chosen.length} proofs, about ${minutes} minutes: ${asked.chosen.map(({ name }) => name).join(', ')}`,
    )
    for (const entry of asked.chosen) outcomes.push(await runOne(entry))
    console.log('\nAll of them')
    for (const { name, code, minutes } of outcomes)
      console.log(`  ${name.padEnd(20)}${(code === 0 ? 'held' : `ended with ${code}`).padEnd(16)}${minutes} min`)
  }
  makePage()
  console.log('\ndocs/proof.md is made from the figures that are there.')
  return outcomes.some(({ code }) => code !== 0) ? 1 : 0
}

interface Asked {
  chosen: CatalogEntry[]
  page: boolean
  list: boolean
}

/** A sentence when an argument is invalid. */
function readAsked(args: string[]): Asked | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        skip: { type: 'string' },
        page: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    })
    const names = (text: string | undefined) => text?.split(',').map((name) => name.trim()) ?? []
    const [only, skip] = [names(values.only), names(values.skip)]
    const unknown = [...only, ...skip].find((name) => !CATALOG.some((entry) => entry.name === name))
    if (unknown !== undefined) return `There is no proof called "${unknown}".`
    const chosen = CATALOG.filter(({ name }) => (only.length === 0 || only.includes(name)) && !skip.includes(name))
    return { chosen, page: values.page, list: values.list }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function runOne({ name, command, args }: CatalogEntry): Promise<{ name: string; code: number; minutes: string }> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const [, ...script] = scripts[command]?.split(' ') ?? []
  if (script.length === 0) throw new Error(`package.json has no command ${command}`)
  console.log(`\n${'─'.repeat(80)}\n${name}: npm run ${[command, '--', ...args, '--record'].join(' ')}\n`)
  const began = Date.now()
  const { code } = await run(process.execPath, [...script, ...args, '--record'], { show: true })
  const written = statSync(join(FIGURES, `${name}.json`), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (written < began) console.log(`It left no figures: ${name} stands in the page as it was before.`)
  return { name, code, minutes: ((Date.now() - began) / 60_000).toFixed(1) }
}

/** Reads docs/proof/*.json; writes docs/proof.md and its charts, and removes unused charts. */
export function makePage(): void {
  mkdirSync(FIGURES, { recursive: true })
  const found = readdirSync(FIGURES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(FIGURES, name), 'utf8')) as Recorded)
  const { markdown, pictures } = proofPage(CATALOG, found)
  const images = resolve('docs/images')
  mkdirSync(images, { recursive: true })
  for (const name of readdirSync(images)) if (/^proof-.*\.svg$/.test(name)) rmSync(join(images, name))
  for (const { file, svg } of pictures) writeFileSync(resolve('docs', file), svg)
  writeFileSync(resolve('docs/proof.md'), markdown)
}
