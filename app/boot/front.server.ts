// What stands between the listener and the routes: whose request it is, whether it may come in, which headers its answer carries.
// Built once, from what the composition root hands over.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Measures } from '#app/adapters/measures.ts'
import type { App } from '#app/context/app-context.ts'
import { type Budgets, createBudgets } from '#app/http/budgets.server.ts'
import { clientIpReader } from '#app/http/client-ip.ts'
import { createDoor } from '#app/http/door.server.ts'
import { createEdges } from '#app/http/edges.ts'
import { createIntake, type Intake, letGoOfBody } from '#app/http/intake.server.ts'
import type { Refusal } from '#app/http/origin-check.ts'
import { refusalPage } from '#app/http/refusal-page.ts'
import { securityHeaders } from '#app/http/security-headers.ts'
import { createStrangerPages, type StrangerPages } from '#app/http/stranger-pages.server.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { endWork, type Meter, workFor } from '#app/lib/work-meter.server.ts'
import { CALL_PATHS } from '#app/routes/api/calls.server.ts'
import { routePatterns } from '#app/routes/route-patterns.ts'
import type { Env } from './env.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'

export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

export interface Front {
  clientIp(req: IncomingMessage): string
  routePattern(path: string): string
  securityHeaders(path: string, nonce: string): Record<string, string>
  /** Work done for a request from that address: what is written down about it names it. */
  asCaller<T>(ip: string, work: () => T, meter?: Meter): T
  /** Null = it is something that a browser, a program or the platform would send. */
  judgeEdges(req: IncomingMessage): Refusal | null
  /** What may be under way at a time. */
  intake: Intake
  /** What an account or a caller may use in a minute. */
  budgets: Budgets
  /** The thread works for this request from now on; call `settle` of the budgets when it is over. */
  workFor: typeof workFor
  endWork: typeof endWork
  /** Null = let it through (perhaps with its cookies taken away). */
  admitRequest(req: IncomingMessage): Refusal | null
  /** Null = who asked reads JSON. */
  refusalPage(req: IncomingMessage, message: string): string | null
  platformIngress: NodeHandler
  /** Pages for people without a session; `draw` = the router. */
  strangerPages(draw: Parameters<typeof createStrangerPages>[1]): StrangerPages
  /** Call when an answer was sent: what is left of the request's body is thrown away. */
  letGoOfBody(req: IncomingMessage): void
}

export function createFront(
  app: App,
  env: Pick<Env, 'trustProxy' | 'requestsPerMinute' | 'budgets'>,
  observed: { ingress(handle: NodeHandler): NodeHandler; measures: Pick<Measures, 'overBudget'> },
): Front {
  const clientIp = clientIpReader(env.trustProxy)
  // Behind a proxy that tells the caller, every connection is the proxy's.
  const intake = createIntake({}, env.trustProxy === 'none' ? undefined : () => true)
  const budgets = createBudgets(app, env.budgets, { refused: observed.measures.overBudget })
  const secure = app.settings.origin.startsWith('https:')
  const realPayments = app.settings.payments.mode === 'stripe'
  const routePattern = routePatterns(CALL_PATHS)
  return {
    clientIp,
    routePattern,
    securityHeaders: (path, nonce) => securityHeaders({ path, nonce, secure, realPayments }),
    asCaller,
    budgets,
    workFor,
    endWork,
    judgeEdges: createEdges(app.settings.origin),
    intake,
    admitRequest: createDoor(app, { perMinute: env.requestsPerMinute, clientIp }),
    refusalPage: ({ url, headers }, message) =>
      refusalPage({ url, accept: headers.accept, message, origin: app.settings.origin }),
    platformIngress: observed.ingress(createPlatformIngress(app, { clientIp, bodies: intake.bodies, budgets })),
    strangerPages: (draw) => createStrangerPages(app, draw, (path) => routePattern(path) === '/*'),
    letGoOfBody,
  }
}
