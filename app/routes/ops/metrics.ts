import type { LoaderFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { problem } from '#app/http/respond.ts'

/** How the process does, as Prometheus text (docs/metrics.md). With METRICS_TOKEN set, for its bearer alone. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { watching } = args.context.app
  return answerCall(args, {
    async GET() {
      if (watching.accessOf(args.request.headers.get('authorization')) === 'refused') {
        return problem(401, 'This wants the metrics token as a bearer token.', { 'WWW-Authenticate': 'Bearer' })
      }
      const { contentType, text } = await watching.metrics()
      return new Response(text, { headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } })
    },
  })
}

export const action = loader
