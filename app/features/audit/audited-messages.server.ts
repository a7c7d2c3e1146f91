// Records every message that automations send to people, with the receiver only as a keyed hash: an owner can see that
// someone got three messages, but nobody can read who.
import type { App } from '#app/context/app-context.ts'
import type { CommitResult, Effect } from '#app/domain/automations/effect.ts'
import { recordAudit } from './audit.server.ts'

interface SentFor {
  identity: { accountUuid: string; runId: number }
}

interface Sends<Context extends SentFor> {
  commit(effect: Effect, context: Context): Promise<CommitResult>
}

type Message = Extract<Effect, { kind: 'send_sms' | 'send_email' | 'post_feed' }>

/** Wraps a committer and records its messages. */
export function auditMessages<Context extends SentFor, Committer extends Sends<Context>>(
  app: Pick<App, 'store' | 'clock' | 'log' | 'secrets'>,
  committer: Committer & Sends<Context>,
): Committer {
  return {
    ...committer,
    async commit(effect: Effect, context: Context) {
      const result = await committer.commit(effect, context)
      if (isMessage(effect)) await tell(app, effect, context, result)
      return result
    },
  }
}

function isMessage(effect: Effect): effect is Message {
  return effect.kind === 'send_sms' || effect.kind === 'send_email' || effect.kind === 'post_feed'
}

/** Enough characters to tell an account's receivers apart. */
const SHOWN = 12

async function tell(
  app: Pick<App, 'store' | 'clock' | 'log' | 'secrets'>,
  effect: Message,
  { identity: { accountUuid, runId } }: SentFor,
  { outcome }: CommitResult,
): Promise<void> {
  // Not done and retried automatically: only the final result is recorded.
  if (outcome === 'wait' || outcome === 'blocked') return
  const channel = effect.kind === 'send_sms' ? 'text message' : effect.kind === 'send_email' ? 'e-mail' : 'feed'
  await recordAudit(
    app,
    {
      accountUuid,
      action: 'message.sent',
      actor: 'system',
      outcome: outcome === 'failed' ? 'failed' : 'done',
      target: effect.class === 'customer' ? 'a customer' : 'staff',
      detail: {
        channel,
        run: runId,
        receiver: effect.kind === 'post_feed' ? null : await fingerprint(app, accountUuid, effect.to),
        ...(outcome === 'unknown' && { sure: false }),
      },
    },
    null,
  )
}

/** Returns null when no hash is possible (the account is being erased): the message is recorded anyway. */
async function fingerprint({ secrets }: Pick<App, 'secrets'>, accountUuid: string, to: string): Promise<string | null> {
  try {
    const [print] = await secrets.fingerprints(`audit receiver|${accountUuid}`, to.toLowerCase())
    return print?.slice(0, SHOWN) ?? null
  } catch {
    return null
  }
}
