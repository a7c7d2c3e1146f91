// Parses the audit log's filter for the page's URL and the call.
import { z } from 'zod'
import { AUDIT_GROUPS, type AuditGroup, type AuditQuery } from '#app/domain/audit.ts'
import { startOfDay } from '#app/domain/time/local-time.ts'
import { AUDIT_OUTCOMES, type AuditForm, actionsOf } from './audit.ts'

const AUDIT_PAGE = 50

const DAY = z.union([z.literal(''), z.iso.date('Please enter a day.')])
/** The parameters; missing and blank mean the same. */
export const auditParameters = z.object({
  group: z.union([z.literal(''), z.enum(Object.keys(AUDIT_GROUPS) as [AuditGroup, ...AuditGroup[]])], {
    error: 'Choose one of the list.',
  }),
  outcome: z.union([z.literal(''), z.enum(AUDIT_OUTCOMES)], { error: 'Choose one of the list.' }),
  from: DAY,
  until: DAY,
  before: z.union([z.literal(''), z.string().regex(/^[1-9]\d{0,14}$/, 'This page does not exist.')]),
})

type ReadAuditQuery = { form: AuditForm; before: string } & (
  | { outcome: 'ok'; query: AuditQuery }
  | { outcome: 'invalid'; errors: Record<string, string[]> }
)

/** Parses the parameters `group`, `outcome`, `from`, `until`, `before`; days are in `timezone`. */
export function readAuditQuery(params: URLSearchParams, timezone: string, limit = AUDIT_PAGE): ReadAuditQuery {
  const get = (name: string) => (params.get(name) ?? '').trim().slice(0, 40)
  const form: AuditForm = { group: get('group'), outcome: get('outcome'), from: get('from'), until: get('until') }
  const before = get('before')
  const parsed = auditParameters.safeParse({ ...form, before })
  if (!parsed.success) {
    const errors = z.flattenError(parsed.error).fieldErrors as Record<string, string[]>
    return { outcome: 'invalid', form, before, errors }
  }
  const { group, outcome } = parsed.data
  const query: AuditQuery = {
    actions: group === '' ? null : actionsOf(group),
    outcome: outcome === '' ? null : outcome,
    since: form.from === '' ? null : startOfDay(form.from, 0, timezone),
    until: form.until === '' ? null : startOfDay(form.until, 1, timezone),
    before: before === '' ? null : Number(before),
    limit,
  }
  return { outcome: 'ok', form, before, query }
}
