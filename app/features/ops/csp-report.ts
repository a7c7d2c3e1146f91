// What browsers report about things that the policy of our pages forbade: which rule it was and whose thing it was. The rest of a
// report (the address of the page, which may hold a capability, a sample of a script) is not looked at.
import { z } from 'zod'

/** Larger ones are not read. */
export const MOST_REPORT_BYTES = 16 * 1024
/** Of one body. */
const MOST_REPORTS = 20

export interface Violation {
  /** `script-src-elem` … ; `other` when it is none that a policy has. */
  directive: string
  /** An origin, the scheme of what has none, or the browser's own word for it (`inline`, `eval`). */
  blocked: string
}

const REPORT_TYPES = new Set(['application/csp-report', 'application/reports+json', 'application/json'])

/** With whatever stands behind a semicolon. */
export function isReportType(contentType: string | null): boolean {
  return REPORT_TYPES.has((contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '')
}

const text = z.string().catch('')
/** `report-uri` sends one, with names of its own. */
const older = z.looseObject({
  'csp-report': z.looseObject({ 'effective-directive': text, 'violated-directive': text, 'blocked-uri': text }),
})
/** `report-to` sends several, of all kinds. */
const newer = z
  .array(z.unknown())
  .transform((all) => all.slice(0, MOST_REPORTS).flatMap((one) => newerOne.safeParse(one).data ?? []))
const newerOne = z.looseObject({
  type: z.literal('csp-violation'),
  body: z.looseObject({ effectiveDirective: text, blockedURL: text }),
})

/** Null = the body is not a report of either kind. Reports about other things are left out. */
export function readCspReports(body: string): Violation[] | null {
  const value = parsed(body)
  const one = older.safeParse(value)
  if (one.success) {
    const report = one.data['csp-report']
    return [violation(report['effective-directive'] || report['violated-directive'], report['blocked-uri'])]
  }
  const several = newer.safeParse(value)
  if (!several.success) return null
  return several.data.map(({ body: report }) => violation(report.effectiveDirective, report.blockedURL))
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function violation(directive: string, blocked: string): Violation {
  return { directive: directiveOf(directive), blocked: blockedOf(blocked) }
}

/** Of `script-src 'self'`, as older browsers send it, the first word. */
function directiveOf(text: string): string {
  const [name = ''] = text.trim().toLowerCase().split(/\s/, 1)
  return /^[a-z]+(-[a-z]+){1,3}$/.test(name) && name.length <= 40 ? name : 'other'
}

const WORDS = new Set(['inline', 'eval', 'wasm-eval', 'self', 'trusted-types-policy', 'trusted-types-sink'])

function blockedOf(text: string): string {
  const word = text.trim().toLowerCase()
  if (word === '') return 'nothing named'
  if (WORDS.has(word)) return word
  // `data`, `blob`: browsers name no more of these than their scheme.
  if (/^[a-z][a-z-]{1,20}$/.test(word)) return `${word}:`
  if (!URL.canParse(word)) return 'unreadable'
  const { origin, protocol } = new URL(word)
  return origin === 'null' ? protocol.slice(0, 30) : origin.slice(0, 100)
}
