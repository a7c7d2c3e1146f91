// `$filter`: clauses `field op value` joined by `and`; eq, ne, gt, lt only; ten clauses, values up to 255 characters.
import { assertNever } from '#app/lib/assert-never.ts'
import type { FieldFact } from './catalog.ts'

type Operator = 'eq' | 'ne' | 'gt' | 'lt'

interface Clause {
  field: string
  operator: Operator
  value: string
}

type ParsedFilter = { outcome: 'ok'; clauses: Clause[] } | { outcome: 'bad'; message: string }

const MAX_CLAUSES = 10
const MAX_VALUE = 255
const CLAUSE = /^\s*([A-Za-z_][\w]*)\s+([A-Za-z]+)\s+('(?:[^']|'')*'|[^\s']+)\s*/
const AND = /^and\s+/i

/** Parses a filter text against the fields of the object; names are case-sensitive. */
export function parseFilter(text: string, fields: ReadonlyMap<string, FieldFact>): ParsedFilter {
  const clauses: Clause[] = []
  let rest = text
  for (;;) {
    const match = CLAUSE.exec(rest)
    if (!match) return bad(`Invalid filter near "${rest.slice(0, 40)}"`)
    const [whole, field = '', operator = '', raw = ''] = match
    if (!fields.has(field)) return bad(`${field} is not a valid field for filtering`)
    if (!isOperator(operator)) return bad(`Operator ${operator} is not supported. Use eq, ne, gt or lt`)
    const value = raw.startsWith("'") ? raw.slice(1, -1).replaceAll("''", "'") : raw
    if (value.length > MAX_VALUE) return bad(`Filter values may hold at most ${MAX_VALUE} characters`)
    clauses.push({ field, operator, value })
    if (clauses.length > MAX_CLAUSES) return bad(`A filter may hold at most ${MAX_CLAUSES} conditions`)
    rest = rest.slice(whole.length)
    if (rest === '') return { outcome: 'ok', clauses }
    const and = AND.exec(rest)
    if (!and) return bad('Conditions can only be joined with "and"')
    rest = rest.slice(and[0].length)
  }
}

function bad(message: string): ParsedFilter {
  return { outcome: 'bad', message }
}

function isOperator(word: string): word is Operator {
  return word === 'eq' || word === 'ne' || word === 'gt' || word === 'lt'
}

const NUMBER = /^-?\d+(\.\d+)?$/
const NUMERIC_FORMATS = new Set(['flag', 'flag-string', 'decimal-string'])

/** Whether a record passes every clause. Numbers compare as numbers, all else as text (local times sort as text). */
export function passes(
  record: Record<string, unknown>,
  clauses: readonly Clause[],
  fields: ReadonlyMap<string, FieldFact>,
): boolean {
  return clauses.every(({ field, operator, value }) => {
    const fact = fields.get(field)
    const held = textOf(record[field])
    const numeric = fact?.type === 'integer' || fact?.type === 'number' || NUMERIC_FORMATS.has(fact?.format ?? '')
    const order =
      numeric && NUMBER.test(held) && NUMBER.test(value)
        ? Math.sign(Number(held) - Number(value))
        : held < value
          ? -1
          : held > value
            ? 1
            : 0
    return holds(operator, order)
  })
}

function holds(operator: Operator, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0
    case 'ne':
      return order !== 0
    case 'gt':
      return order > 0
    case 'lt':
      return order < 0
    default:
      return assertNever(operator)
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (value === true) return '1'
  if (value === false) return '0'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
