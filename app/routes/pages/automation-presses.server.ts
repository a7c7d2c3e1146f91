// Buttons of the automations page that need more than a session.
import type { LoaderFunctionArgs } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import { runAddress, runsAddress } from '#app/domain/automations/history-address.ts'
import { countedCalls } from '#app/features/accounts/call-as-account.server.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { type TextAsked, textMe } from '#app/features/automations/preview/text-me.server.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { OwnAccount } from './own-account.server.ts'

type Args = Pick<LoaderFunctionArgs, 'context'>

/** For previews: names each customer whom they speak of. */
export function withNames(app: App) {
  return { ...app, namesOf: namesForPage(app) }
}

/** Sends a previewed text to whoever is signed in, counted and in the audit log. */
export function textToMe({ context: { app } }: Args, found: OwnAccount) {
  return (asked: TextAsked): Promise<Flash> =>
    textMe(withNames(app), asked, {
      person: found.staffUuid,
      send: countedCalls(app.callAsAccount),
      record: (outcome) =>
        recordAudit(app, {
          accountUuid: found.account.uuid,
          action: 'message.tested',
          outcome,
          target: 'their own mobile',
          detail: { channel: 'text message' },
        }),
    })
}

/** Of a toast: to the run that a press started, or, of several, to all of that automation. */
export function linkToRuns(account: Parameters<typeof runAddress>[0], rule: string, runId: number | null | undefined) {
  if (runId === undefined) return {}
  if (runId === null) return { link: { to: runsAddress(account, { rule }), words: 'View runs' } }
  return { link: { to: runAddress(account, runId), words: 'View run' } }
}
