// Reads browser reports of CSP violations: the directive and the blocked source. Ignores the rest of a report (the
// page's address, which may hold a capability, and a script sample).
import { z } from 'zod'
import { parseJson } from '#app/lib/json.ts'

/** Larger reports are not read. */
export const MOST_REPORT_BYTES = 16 * 1024
/** Per body. */
const MOST_REPORTS = 20

export interface Violation {
  /** `script-src-elem` … ; `other` for an unknown directive. */
  directive: string
  /** An origin, the scheme of sources without one, or the browser's keyword (`inline`, `eval`). */
  blocked: string
}

const REPORT_TYPES = new Set(['application/csp-report', 'application/reports+json', 'application/json'])

/** Ignores parameters after a semicolon. */
export function isReportType(contentType: string | null): boolean {
  return REPORT_TYPES.has((contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '')
}

const text = z.string().catch('')
/** `report-uri` sends one report, with its own field names. */
const older = z.looseObject({
  'csp-report': z.looseObject({ 'effective-directive': text, 'violated-directive': text, 'blocked-uri': text }),
})
/** `report-to` sends several, of any type. */
const newer = z
  .array(z.unknown())
  .transform((all) => all.slice(0, MOST_REPORTS).flatMap((one) => newerOne.safeParse(one).data ?? []))
const newerOne = z.looseObject({
  type: z.literal('csp-violation'),
  body: z.looseObject({ effectiveDirective: text, blockedURL: text }),
})

/** Null = the body is not a report of either kind. Skips reports of other types. */
export function readCspReports(body: string): Violation[] | null {
  const value = parseJson(body)
  const one = older.safeParse(value)
  if (one.success) {
    const report = one.data['csp-report']
    return [violation(report['effective-directive'] || report['violated-directive'], report['blocked-uri'])]
  }
  const several = newer.safeParse(value)
  if (!several.success) return null
  return several.data.map(({ body: report }) => violation(report.effectiveDirective, report.blockedURL))
}

function violation(directive: string, blocked: string): Violation {
  return { directive: directiveOf(directive), blocked: blockedOf(blocked) }
}

/** The first word: older browsers send `script-src 'self'`. */
function directiveOf(text: string): string {
  const [name = ''] = text.trim().toLowerCase().split(/\s/, 1)
  return /^[a-z]+(-[a-z]+){1,3}$/.test(name) && name.length <= 40 ? name : 'other'
}

const WORDS = new Set(['inline', 'eval', 'wasm-eval', 'self', 'trusted-types-policy', 'trusted-types-sink'])

function blockedOf(text: string): string {
  const word = text.trim().toLowerCase()
  if (word === '') return 'nothing named'
  if (WORDS.has(word)) return word
  // `data`, `blob`: browsers report only the scheme.
  if (/^[a-z][a-z-]{1,20}$/.test(word)) return `${word}:`
  if (!URL.canParse(word)) return 'unreadable'
  const { origin, protocol } = new URL(word)
  return origin === 'null' ? protocol.slice(0, 30) : origin.slice(0, 100)
}
