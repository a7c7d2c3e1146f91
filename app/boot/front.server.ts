// The layer between listener and routes: finds the caller, decides on admission, and sets the answer's headers. Built
// once from the composition root's parts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Measures } from '#app/adapters/measures.ts'
import type { App } from '#app/context/app-context.ts'
import type { Admission } from '#app/engine/admission.ts'
import { createBudgets } from '#app/http/budgets.server.ts'
import { clientIpReader } from '#app/http/client-ip.ts'
import { createDoor } from '#app/http/door.server.ts'
import { createEdges } from '#app/http/edges.ts'
import { createIntake, letGoOfBody } from '#app/http/intake.server.ts'
import { refusalPage } from '#app/http/refusal-page.ts'
import { securityHeaders } from '#app/http/security-headers.ts'
import { createStrangerPages } from '#app/http/stranger-pages.server.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { endWork, workFor } from '#app/lib/work-meter.server.ts'
import type { Env } from './env.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'

export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

export type Front = ReturnType<typeof createFront>

export function createFront(
  app: App,
  env: Pick<Env, 'trustProxy' | 'requestsPerMinute' | 'budgets'>,
  observed: { ingress(handle: NodeHandler): NodeHandler; measures: Pick<Measures, 'overBudget'> },
  admit: Admission['admit'],
) {
  const clientIp = clientIpReader(env.trustProxy)
  // Behind a proxy that reports the caller, every connection belongs to the proxy.
  const intake = createIntake({}, env.trustProxy === 'none' ? undefined : () => true)
  const budgets = createBudgets(app, env.budgets, { refused: observed.measures.overBudget })
  const secure = app.settings.origin.startsWith('https:')
  const realPayments = app.settings.payments.mode === 'stripe'
  const { routePattern } = app.settings
  return {
    clientIp,
    routePattern,
    securityHeaders: (path: string, nonce: string) => securityHeaders({ path, nonce, secure, realPayments }),
    asCaller,
    /** Limits per minute for an account or a caller. */
    budgets,
    /** The thread now works for this request; call `settle` of the budgets at its end. */
    workFor,
    endWork,
    /** Null = a request that a browser, a program or the platform would send. */
    judgeEdges: createEdges(app.settings.origin),
    /** Limits on concurrent work. */
    intake,
    /** Null = admitted (perhaps without its cookies). */
    admitRequest: createDoor(app, { perMinute: env.requestsPerMinute, clientIp }),
    /** Null = the caller reads JSON. */
    refusalPage: ({ url, headers }: IncomingMessage, message: string) =>
      refusalPage({ url, accept: headers.accept, message, origin: app.settings.origin }),
    platformIngress: observed.ingress(createPlatformIngress(app, { clientIp, bodies: intake.bodies, budgets, admit })),
    /** Pages for people without a session; `draw` = the router. */
    strangerPages: (draw: Parameters<typeof createStrangerPages>[1]) =>
      createStrangerPages(app, draw, (path) => routePattern(path) === '/*'),
    letGoOfBody,
  }
}
