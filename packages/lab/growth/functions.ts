// Finds in the sources every function of the pure modules that receives outside text, so that new functions are
// measured automatically.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

export interface Parameter {
  name: string
  /** As written in the source: `string`, `URLSearchParams`, `Destination`. */
  type: string
  optional: boolean
}

export interface FoundFunction {
  /** From the root: `app/features/events/wire.ts`. */
  file: string
  name: string
  parameters: Parameter[]
}

/** Types that carry text. */
const TEXT_LIKE = /\b(?:string|unknown|URLSearchParams|FormData|Uint8Array)\b/

/** Strangers cannot reach the stand-in platform (`packages/sandbox`) in production. */
const LEFT_OUT = /\.test\.ts$|\.server\.ts$|\.d\.ts$/

/** Pure modules of the product, in order. */
export function pureModules(root: string): string[] {
  return ['app', 'db']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !LEFT_OUT.test(file))
    .sort()
}

export function functionsTakingText(root: string): FoundFunction[] {
  return pureModules(root).flatMap((file) => exportedFunctions(file, readFileSync(join(root, file), 'utf8')))
}

export function exportedFunctions(file: string, source: string): FoundFunction[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false)
  return tree.statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement) || !statement.name || !statement.body) return []
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    // A hook works inside a component only: called alone, it complains instead of working.
    if (/^use[A-Z]/.test(statement.name.text)) return []
    const parameters = statement.parameters.map((one) => ({
      name: one.name.getText(tree),
      type: (one.type?.getText(tree) ?? 'unknown').replace(/\s+/g, ' '),
      optional: one.questionToken !== undefined || one.initializer !== undefined,
    }))
    return parameters.some(({ type }) => TEXT_LIKE.test(type)) ? [{ file, name: statement.name.text, parameters }] : []
  })
}
