import type { ActionFunctionArgs } from '@remix-run/node'
import { isReportType, MOST_REPORT_BYTES, readCspReports } from '#app/features/ops/csp-report.ts'
import { noteViolations } from '#app/features/ops/csp-reports.server.ts'
import { answerCall } from '#app/http/calls/call.server.ts'
import { readBody } from '#app/http/guards.server.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import { badInput, problem } from '#app/http/respond.ts'

/** `POST /csp-report`: receives browsers' reports of CSP violations. Reads no cookies. Every report gets 204. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    POST: async () => {
      requireRate(context.app, 'csp_report', context.clientIp)
      if (!isReportType(request.headers.get('content-type'))) return problem(415, 'Send a report as browsers do.')
      const violations = readCspReports(await readBody(request, MOST_REPORT_BYTES))
      if (violations === null) return badInput('The body is not a report.')
      noteViolations(context.app, violations)
      return new Response(null, { status: 204 })
    },
  })
}

export const loader = action
