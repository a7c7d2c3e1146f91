// Form bodies and queries with nested names, `items[0][price]=…`, read with the provider's own refusals.
import { isDecimal } from './billing-months.ts'
import type { Metadata } from './ledger.ts'
import { badParameter } from './stripe-failure.ts'

/** A text, or the values below a name in their order. Maps, so that no name collides with an inherited property. */
type FormNode = string | FormTree
export type FormTree = Map<string, FormNode>

export interface Form {
  tree: FormTree
  /** Every name as a pattern: `items[].price`, `metadata.account`. */
  names: string[]
}

/** @param text `a[b][0]=c&d=e`. When names contradict each other, the later one wins. */
export function parseForm(text: string): Form {
  const tree: FormTree = new Map()
  const names: string[] = []
  for (const [key, value] of new URLSearchParams(text)) {
    const parts = partsOf(key)
    names.push(patternOf(parts))
    let at = tree
    for (const [index, rawPart] of parts.entries()) {
      const part = rawPart === '' ? String(at.size) : rawPart
      if (index === parts.length - 1) {
        at.set(part, value)
        break
      }
      const below = at.get(part)
      const next: FormTree = below instanceof Map ? below : new Map()
      at.set(part, next)
      at = next
    }
  }
  return { tree, names }
}

function partsOf(key: string): string[] {
  const first = key.split('[')[0] ?? key
  const rest = [...key.slice(first.length).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')
  return [first, ...rest]
}

function patternOf(parts: readonly string[]): string {
  return parts.map((part, index) => (index === 0 ? part : /^\d*$/.test(part) ? '[]' : `.${part}`)).join('')
}

/** Refuses the first name that a call does not accept. `metadata.*` accepts any name below. */
export function requireKnownNames(form: Form, takes: readonly string[]): void {
  for (const name of form.names) {
    if (name === 'expand[]') continue
    const known = takes.some((one) =>
      one.endsWith('.*') ? name === one.slice(0, -2) || name.startsWith(one.slice(0, -1)) : one === name,
    )
    // An empty text in place of a list or a group clears its values.
    if (!known && !takes.some((one) => one.startsWith(`${name}.`) || one.startsWith(`${name}[`))) {
      throw badParameter(`Received unknown parameter: ${name}`, 'parameter_unknown', name)
    }
  }
}

export function nodeAt(tree: FormTree, path: string): FormNode | undefined {
  let at: FormNode | undefined = tree
  for (const part of path.split('.')) at = at instanceof Map ? at.get(part) : undefined
  return at
}

/** Null when missing; '' when sent empty. */
export function textAt(tree: FormTree, path: string): string | null {
  const node = nodeAt(tree, path)
  return typeof node === 'string' ? node : null
}

/** Null when missing or empty. */
export function filledAt(tree: FormTree, path: string): string | null {
  return textAt(tree, path) || null
}

export function requiredAt(tree: FormTree, path: string): string {
  const text = filledAt(tree, path)
  if (text === null) throw badParameter(`Missing required param: ${path}.`, 'parameter_missing', path)
  return text
}

export function wholeAt(tree: FormTree, path: string): number | null {
  const text = filledAt(tree, path)
  if (text === null) return null
  if (!/^-?\d{1,15}$/.test(text)) throw badParameter(`Invalid integer: ${text}`, 'parameter_invalid_integer', path)
  return Number(text)
}

export function decimalAt(tree: FormTree, path: string): string | null {
  const text = filledAt(tree, path)
  if (text === null) return null
  if (!isDecimal(text)) throw badParameter(`Invalid decimal: ${text}`, 'parameter_invalid_decimal', path)
  return text
}

export function flagAt(tree: FormTree, path: string): boolean | null {
  const text = filledAt(tree, path)
  if (text === null) return null
  if (text !== 'true' && text !== 'false') throw badParameter(`Invalid boolean: ${text}`, 'parameter_invalid', path)
  return text === 'true'
}

/** One of the words, or null when missing. */
export function wordAt<Word extends string>(tree: FormTree, path: string, words: readonly Word[]): Word | null {
  const text = filledAt(tree, path)
  if (text === null) return null
  const word = words.find((one) => one === text)
  if (!word) throw badParameter(`Invalid ${path}: must be one of ${words.join(', ')}`, 'parameter_invalid', path)
  return word
}

export function treesAt(tree: FormTree, path: string): FormTree[] {
  const node = nodeAt(tree, path)
  return node instanceof Map ? [...node.values()].filter((one) => one instanceof Map) : []
}

export function textsAt(tree: FormTree, path: string): string[] {
  const node = nodeAt(tree, path)
  return node instanceof Map ? [...node.values()].filter((one) => typeof one === 'string') : []
}

/** Merges values into the existing ones; an empty value removes its name, an empty whole removes all. */
export function metadataAt(tree: FormTree, before: Metadata = {}, path = 'metadata'): Metadata {
  const node = nodeAt(tree, path)
  if (node === '') return {}
  if (!(node instanceof Map)) return before
  const after = new Map(Object.entries(before))
  for (const [name, value] of node) {
    if (typeof value !== 'string') throw badParameter('Metadata values must be strings', 'parameter_invalid', path)
    if (name.length > 40 || value.length > 500) {
      throw badParameter('Metadata names have at most 40 characters, values 500.', 'parameter_invalid', path)
    }
    if (value === '') after.delete(name)
    else after.set(name, value)
  }
  return Object.fromEntries(after)
}
