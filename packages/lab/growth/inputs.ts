// Texts that are short to describe and long to parse: one unit of a grammar of ours, repeated, with a prefix and a
// suffix. A parser is nearly always slow because of the same beginning many times and an end that does not match.

/** From placeholders, conditions, e-mail HTML, forms, JSON, addresses, amounts, times, headers, and bad regex input. */
export const UNITS = [
  // placeholders and blanks
  ...['{zq}', '{', '{{', '{a or "', '{a or &quot;', "{a or '", '{a as ', '{a or "b" as ', '[[', '[[a', '[[a]]', '{a '],
  // HTML
  ...['<', '</', '<a ', '<a b="', '<div>', '<p title=">', '<!--', '<style>', '<style>/*', '/*', '</style', '<svg>'],
  ...['&', '&#', '&#0', '&lt;', '<p style="a:b;', 'a:b;', '<a href=javascript&#58;', '<!doctype '],
  // forms and addresses
  ...[
    'a[]&',
    'a[b]&',
    'a=1&',
    '&',
    'a[b][c]=d&',
    'a[0]=[1]&',
    '%',
    '%41',
    '/',
    '//',
    '../',
    '?',
    '#',
    '@',
    'a@',
    'a.',
    ':',
  ],
  // JSON
  ...['[', '{"a":', '"', '\\', '[[],', '\\u0041'],
  // lists, amounts, numbers, times, headers
  ...[
    ',',
    ';',
    'a,',
    'a;',
    'a=b;',
    '0',
    '9',
    '1,',
    '1.',
    ' 1',
    '-',
    '+',
    '(',
    ')',
    '(0)',
    '0-',
    'x',
    'ext',
    '2026-01-01T',
  ],
  // blanks, words, letters with more than one byte
  ...[
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\u00a0',
    'a',
    'a ',
    ' a',
    'ab_',
    'é',
    '😀',
    '\ud83d',
    '\u202e',
    '\u0000',
    'İ',
    'a\u0301',
  ],
  // constructs that never end
  ...['-eyJ', '=', '_', '*', '|', '~', '^', '$', '<>', '"a"', "'a'", 'or ', 'and '],
] as const

/** Enough of them to find every past case, for the version that everybody runs. */
export const FEW_UNITS: readonly string[] = [
  ...[
    '{zq}',
    '{',
    '[[a',
    '{a or "',
    '<',
    '<div>',
    '<a b="',
    '<style>/*',
    '/*',
    '&#',
    'a[]&',
    'a=1&',
    '%',
    '/',
    '@',
    'a.',
  ],
  ...['[', '"', ',', ';', '0', '1,', '(0)', ' ', '\n', 'a', 'a ', '😀'],
]

export interface Shape {
  /** For the finding: the parts of the text. */
  name: string
  make(length: number): string
}

export interface Around {
  before: string
  after: string
}

const BARE: Around = { before: '', after: '' }
/** An end that matches nothing. */
const SPOILT: Around = { before: '', after: '!' }

/** Every unit in every frame. `around`: the prefix and suffix a parser expects before it reads the rest. */
export function shapesOf(units: readonly string[], around: readonly Around[] = []): Shape[] {
  return framed(units, [BARE, SPOILT, ...around])
}

/** Each unit once, with an end that matches nothing: finds nearly everything that both find. */
export function barely(units: readonly string[], around: readonly Around[] = []): Shape[] {
  return framed(units, [SPOILT, ...around])
}

function framed(units: readonly string[], around: readonly Around[]): Shape[] {
  return around.flatMap(({ before, after }) =>
    units.map((unit) => ({
      name: `${JSON.stringify(before)}${JSON.stringify(unit)} × n${after === '' ? '' : ` ${JSON.stringify(after)}`}`,
      make: (length: number) => `${before}${repeated(unit, length - before.length - after.length)}${after}`,
    })),
  )
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)))
}

/** Names that are all different: maximizes work that is done once for each name. */
export const DIFFERENT_NAMES: Shape = {
  name: '{a0} {a1} {a2} …',
  make: (length) => Array.from({ length: Math.floor(length / 9) }, (_, n) => `{zq${n.toString(36)}}`).join(' '),
}

/** One key for every few characters. */
export function manyKeys(length: number, value: string): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: Math.floor(length / 16) }, (_, n) => [`key_${n}`, value]))
}

export function deeplyNested(length: number): unknown {
  let value: unknown = 'x'
  for (let depth = 0; depth < Math.min(2_000, length / 8); depth += 1) value = depth % 2 === 0 ? [value] : { a: value }
  return value
}
