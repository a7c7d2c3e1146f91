// The data of Check Mode and Preview: everything a run would do, in order, with what would prevent it.
import type { z } from 'zod'
import type { PlanWarning } from '#app/domain/automations/effect.ts'
import type { JournalEffect } from '#app/domain/automations/journal-row.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { previewedStep } from '../api/api-answers.ts'
import type { MessageVerdict } from '../rules/guards.ts'
import { resolvedFields } from '../runs/run-history.ts'
import { channelOf, isCustomerMessage, receiverOf } from '../runs/run-messages.ts'

export type PreviewedStep = z.output<typeof previewedStep>
export type PreviewedEffect = PreviewedStep['effects'][number]

export function previewedEffect(effect: JournalEffect, guard: MessageVerdict | null): PreviewedEffect {
  const message = effect.kind === 'send_sms' || effect.kind === 'send_email'
  return {
    kind: effect.kind,
    effectClass: effect.class,
    summary: effect.summary,
    channel: effect.kind === 'send_sms' ? 'sms' : effect.kind === 'send_email' ? 'email' : null,
    to: message ? effect.to : effect.kind === 'post_webhook' ? effect.url : null,
    fields: resolvedFields(effect),
    changes:
      effect.kind === 'update_record'
        ? Object.entries(effect.fields).map(([field, to]) => ({ field, from: effect.before[field] ?? '', to }))
        : [],
    credits: effect.kind === 'send_sms' ? effect.credits : 0,
    attachments:
      effect.kind === 'send_email'
        ? [...(effect.fileNames ?? effect.attachments), ...effect.documentSteps.map((id) => `document of step ${id}`)]
        : effect.kind === 'produce_document'
          ? [effect.fileName]
          : [],
    guard: guard && guardView(guard),
  }
}

function guardView(verdict: MessageVerdict): PreviewedEffect['guard'] {
  if (verdict.outcome === 'now') return verdict
  const { reason, ...rest } = verdict
  return { ...rest, sentence: verdictText(verdict) }
}

/** The reason for a message on hold does not say itself that it waits. */
function verdictText({ outcome, reason }: Exclude<MessageVerdict, { outcome: 'now' }>): string {
  const why = runReasonText(reason)
  return outcome === 'hold' ? `${runReasonText(runReason('held'))} ${why}` : why
}

/** The warning that a verdict adds to a step. */
export function guardWarning(effect: JournalEffect, verdict: MessageVerdict): PlanWarning | null {
  if (verdict.outcome === 'now' || !isCustomerMessage(effect)) return null
  const code = { later: 'moved', skip: 'kept_back', hold: 'held' }[verdict.outcome]
  return {
    code,
    sentence: `${channelOf(effect) === 'sms' ? 'Text' : 'E-mail'} to ${receiverOf(effect)}: ${verdictText(verdict)}`,
  }
}
