// Mutants that cannot matter: whatever is fed to them, nobody could see a difference. Each is named in `mutation-equal.json` with
// its reason, is planted like the others, and is counted apart. One that a test notices after all does not belong there.
import { readFileSync } from 'node:fs'

/**
 * @typedef {{ module: string, line: string, kind: string, from: string, to: string, why: string }} Equal `line` = the source line
 *   it stands in, without the spaces around it
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

/** @param {string} file @returns {Equal[]} */
export function readEquals(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * Takes a module's survivors apart.
 *
 * @param {readonly Equal[]} equals of all modules
 * @param {{ module: string, text: string, mutants: readonly Mutant[], survivors: readonly Mutant[] }} judged `mutants` = all that were planted
 * @returns {{ survivors: Mutant[], equal: { mutant: Mutant, why: string }[], wrong: Equal[] }} `wrong` = named, planted, and noticed
 */
export function takeApart(equals, { module, text, mutants, survivors }) {
  const lines = text.split('\n')
  const own = equals.filter((one) => one.module === module)
  const nameOf = (/** @type {Mutant} */ { line, kind, from, to }) =>
    own.find((one) => one.line === lines[line - 1]?.trim() && one.kind === kind && one.from === from && one.to === to)
  const equal = survivors.flatMap((mutant) => {
    const named = nameOf(mutant)
    return named ? [{ mutant, why: named.why }] : []
  })
  const left = survivors.filter((mutant) => !equal.some((one) => one.mutant === mutant))
  const noticed = mutants.filter((mutant) => !survivors.includes(mutant))
  return { survivors: left, equal, wrong: [...new Set(noticed.flatMap((mutant) => nameOf(mutant) ?? []))] }
}

/**
 * Entries that name no mutant of their module, because it was changed since.
 *
 * @param {readonly Equal[]} equals @param {{ module: string, text: string, mutants: readonly Mutant[] }} made all that can be planted
 * @returns {Equal[]}
 */
export function namesNothing(equals, { module, text, mutants }) {
  const lines = text.split('\n')
  return equals.filter(
    (one) =>
      one.module === module &&
      !mutants.some(
        ({ line, kind, from, to }) =>
          lines[line - 1]?.trim() === one.line && kind === one.kind && from === one.from && to === one.to,
      ),
  )
}
