// The house, measured: how many rooms import each other in a circle, how much lies about, how long it is. The figures may only fall.
// A room is a folder: app/<name>, app/features/<name>, db/<name>, packages/<name>. docs/architecture.md says what lives where.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'
import biomeJson from '../../biome.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from './planted-tree.ts'

/** Lower a figure when the code has become better; none of them ever rises. */
const CEILINGS = {
  roomsInCircles: 0,
  looseFilesOfApp: 4,
  filesFlatInOneFolder: 29,
  filesWithOneImporter: 232,
  filesWithComplexFunctions: 14,
  filesWithLongFunctions: 13,
  // 350 of these lines are for what the screens still lacked on 2026-11-27, 1,605 for what was mended on 2026-11-29 (0078).
  productLines: 114_111,
}

/** How far a figure may be below its ceiling before the ceiling must follow: nobody wants to change this file with every line. */
const SLACK: Partial<Record<keyof typeof CEILINGS, number>> = {
  filesWithOneImporter: 15,
  productLines: 114_111,
}

const SOURCE = /\.(tsx?|m?js)$/
const NOT_SHIPPED = /\.test\.tsx?$|\.d\.ts$/
const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g

const allFiles = ['app', 'db', 'packages'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    posix.join(folder, file.replaceAll('\\', '/')),
  ),
)
const files = allFiles.filter((file) => SOURCE.test(file) && !NOT_SHIPPED.test(file)).sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
const imports = files.flatMap((from) =>
  [...(texts.get(from) ?? '').matchAll(IMPORT)].flatMap(([, name = '']) => {
    const to = targetOf(from, name)
    return to && to !== from ? [{ from, to }] : []
  }),
)

/** The file that an import names; null for packages and for what is no source file. */
function targetOf(from: string, name: string): string | null {
  const alias = Object.entries(packageJson.imports).find(([key]) => name.startsWith(key.replace('*', '')))
  const path = alias
    ? alias[1].replace('./', '').replace('*', name.slice(alias[0].length - 1))
    : name.startsWith('.') && posix.join(dirname(from), name)
  return path && texts.has(path) ? path : null
}

function roomOf(file: string): string {
  const parts = file.split('/')
  const depth = parts[0] === 'app' && parts[1] === 'features' ? 3 : 2
  return parts.slice(0, Math.min(depth, parts.length - 1)).join('/')
}

/** Rooms from each of which every other can be reached, largest circle first. */
function circles(): string[][] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    if (roomOf(from) === roomOf(to)) continue
    next.set(roomOf(from), (next.get(roomOf(from)) ?? new Set()).add(roomOf(to)))
  }
  const reach = (start: string) => {
    const seen = new Set<string>()
    const open = [start]
    for (let room = open.pop(); room !== undefined; room = open.pop()) {
      for (const other of next.get(room) ?? []) if (!seen.has(other) && seen.add(other)) open.push(other)
    }
    return seen
  }
  const reached = new Map([...next.keys()].map((room) => [room, reach(room)]))
  const inOne = [...reached].filter(([room, seen]) => seen.has(room)).map(([room]) => room)
  const circleOf = (room: string) =>
    [...(reached.get(room) ?? [])]
      .filter((other) => reached.get(other)?.has(room))
      .sort()
      .join(' ')
  return [...grouped(inOne, circleOf).values()].sort((a, b) => b.length - a.length)
}

/** The parts of a count: each told as one line when the count is too high. */
const FOUND: Record<keyof typeof CEILINGS, () => { count: number; told: string[] }> = {
  roomsInCircles() {
    const found = circles()
    return { count: found.flat().length, told: found.map((rooms) => rooms.join(' ')) }
  },
  looseFilesOfApp() {
    const loose = allFiles.filter((file) => /^app\/[^/]+\.tsx?$/.test(file))
    return { count: loose.length, told: loose }
  },
  filesFlatInOneFolder() {
    const folders = [...grouped(files, (file) => dirname(file))].sort(([, a], [, b]) => b.length - a.length)
    const told = folders.slice(0, 5).map(([folder, inside]) => `${inside.length} in ${folder}`)
    return { count: folders[0]?.[1].length ?? 0, told }
  },
  filesWithOneImporter() {
    const importers = grouped(imports, ({ to }) => to)
    const lonely = files.filter(
      // A family of calls stands in the list of all calls as a route module stands in the table.
      (file) =>
        !/^packages\/|^app\/routes\/api\/[^/]+-calls\.server\.ts$/.test(file) &&
        new Set(importers.get(file)?.map(({ from }) => from)).size === 1,
    )
    const short = lonely.filter((file) => linesOf(file) < 40)
    return { count: lonely.length, told: ['The short ones are best merged into the file that uses them:', ...short] }
  },
  filesWithComplexFunctions: () => excepted('noExcessiveCognitiveComplexity'),
  filesWithLongFunctions: () => excepted('noExcessiveLinesPerFunction'),
  productLines() {
    const product = files.filter((file) => !file.startsWith('packages/'))
    const longest = product.toSorted((a, b) => linesOf(b) - linesOf(a)).slice(0, 10)
    return {
      count: product.reduce((sum, file) => sum + linesOf(file), 0),
      told: longest.map((file) => `${linesOf(file)} ${file}`),
    }
  },
}

/** The files of the product for which the linter's limit is off: `biome.json` names each. */
function excepted(rule: 'noExcessiveCognitiveComplexity' | 'noExcessiveLinesPerFunction') {
  const off = biomeJson.overrides.flatMap(({ includes, linter }) => {
    const { complexity = {} }: { complexity?: Partial<Record<typeof rule, string>> } = linter?.rules ?? {}
    return complexity[rule] === 'off' ? includes : []
  })
  const told = off.filter((file) => /^(app|db)\//.test(file))
  const gone = told.filter((file) => !texts.has(file))
  return { count: told.length + gone.length, told: [...told, ...gone.map((file) => `${file} names no file`)] }
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

function linesOf(file: string): number {
  return (texts.get(file) ?? '').split('\n').length - 1
}

test.each(Object.entries(FOUND) as [keyof typeof CEILINGS, (typeof FOUND)['productLines']][])(
  '%s does not rise',
  (name, find) => {
    const { count, told } = find()
    expect(count, `${name} may be at most ${CEILINGS[name]}:\n${told.join('\n')}`).toBeLessThanOrEqual(CEILINGS[name])
    expect(count, `better than before: write ${name}: ${count} in this file`).toBeGreaterThanOrEqual(
      CEILINGS[name] - (SLACK[name] ?? 0),
    )
  },
)
