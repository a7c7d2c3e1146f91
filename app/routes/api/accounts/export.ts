import type { ActionFunctionArgs } from '@remix-run/node'
import { accountAddress } from '#app/domain/account-address.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { exportFileName } from '#app/features/accounts/export.ts'
import { exportAccount } from '#app/features/accounts/export-account.server.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { answerVisit } from '#app/http/call.server.ts'
import { requireAccountOfQuery, requireOwner } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { refusalWords } from '#app/http/refusal-page.ts'
import { notFound } from '#app/http/respond.ts'

/** `GET /api/export?accountUUID=`: everything that is kept about the account as a JSON file, without anything secret. 4 a minute. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  const handlers = {
    GET: async () => {
      const access = await requireAccountOfQuery(app, request)
      requireOwner(app, access, 'export')
      const { accountUuid } = access
      requireRateOf(app, 'export', accountUuid)
      const account = await app.store.accounts.findAccount(accountUuid)
      const pieces = await exportAccount(app, accountUuid)
      if (account === null || pieces === null) return notFound()
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': `attachment; filename="${exportFileName(account.name, new Date(app.clock.now()).toISOString())}"`,
        'Cache-Control': 'no-store',
      }
      // A HEAD asks what there is and gets nothing of it.
      if (request.method === 'HEAD') return new Response(null, { headers })
      await recordAudit(app, { accountUuid, action: 'exported' })
      return new Response(streamOf(pieces), { headers })
    },
  }
  // Who may see the account page came from there.
  const accountUUID = accountIdIn(new URL(request.url).searchParams)
  return answerVisit(args, handlers, (message, status) => {
    const words = refusalWords(message)
    if (accountUUID === null || !(status === 403 || status === 429)) return words
    const href = accountAddress({ accountUUID, admin: false })
    return { ...words, way: { href, label: 'Back to Account and security' } }
  })
}

export const loader = action

/** Piece after piece, as fast as they are read. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const piece = await pieces.next()
      if (piece.done) controller.close()
      else controller.enqueue(encoder.encode(piece.value))
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
