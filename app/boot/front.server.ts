// The layer between listener and routes: finds the caller, decides on admission, and sets the answer's headers. Built
// once from the composition root's parts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Measures } from '#app/adapters/measures.ts'
import type { App } from '#app/context/app-context.ts'
import type { Admission } from '#app/engine/admission.ts'
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
import type { Env } from './env.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'

export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

export interface Front {
  clientIp(req: IncomingMessage): string
  routePattern(path: string): string
  securityHeaders(path: string, nonce: string): Record<string, string>
  /** Runs work for a request from that address, which the logs of the work name. */
  asCaller<T>(ip: string, work: () => T, meter?: Meter): T
  /** Null = a request that a browser, a program or the platform would send. */
  judgeEdges(req: IncomingMessage): Refusal | null
  /** Limits on concurrent work. */
  intake: Intake
  /** Limits per minute for an account or a caller. */
  budgets: Budgets
  /** The thread now works for this request; call `settle` of the budgets at its end. */
  workFor: typeof workFor
  endWork: typeof endWork
  /** Null = admitted (perhaps without its cookies). */
  admitRequest(req: IncomingMessage): Refusal | null
  /** Null = the caller reads JSON. */
  refusalPage(req: IncomingMessage, message: string): string | null
  platformIngress: NodeHandler
  /** Pages for people without a session; `draw` = the router. */
  strangerPages(draw: Parameters<typeof createStrangerPages>[1]): StrangerPages
  /** Call after an answer was sent: discards the rest of the request's body. */
  letGoOfBody(req: IncomingMessage): void
}

export function createFront(
  app: App,
  env: Pick<Env, 'trustProxy' | 'requestsPerMinute' | 'budgets'>,
  observed: { ingress(handle: NodeHandler): NodeHandler; measures: Pick<Measures, 'overBudget'> },
  admit: Admission['admit'],
): Front {
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
    platformIngress: observed.ingress(createPlatformIngress(app, { clientIp, bodies: intake.bodies, budgets, admit })),
    strangerPages: (draw) => createStrangerPages(app, draw, (path) => routePattern(path) === '/*'),
    letGoOfBody,
  }
}
