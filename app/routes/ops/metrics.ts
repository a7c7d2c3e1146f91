import type { LoaderFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/calls/call.server.ts'
import { isDirectNeighbour } from '#app/http/neighbours.server.ts'
import { problem } from '#app/http/respond.ts'

/**
 * Metrics of the process as Prometheus text (docs/metrics.md). With METRICS_TOKEN set, only for its bearer; else for
 * callers on the private network without a proxy in between.
 */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { watching } = args.context.app
  return answerCall(args, {
    async GET() {
      const { headers } = args.request
      const access = watching.accessOf(headers.get('authorization'))
      if (access === 'open' && !isDirectNeighbour(args.context.clientIp, headers)) {
        return problem(401, 'Set METRICS_TOKEN to read this from here.', { 'WWW-Authenticate': 'Bearer' })
      }
      if (access === 'refused') {
        return problem(401, 'This wants the metrics token as a bearer token.', { 'WWW-Authenticate': 'Bearer' })
      }
      const { contentType, text } = await watching.metrics()
      return new Response(text, { headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } })
    },
  })
}

export const action = loader
