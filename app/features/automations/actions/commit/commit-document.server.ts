// A document: generated, then stored as a file with an id of ours. Nothing has happened before it is stored, and
// storing it twice has the same result, so every unclear outcome can be retried.
import type { CommitResult, Effect, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { type Values, valuesOf } from '../../records/fact-rows.ts'
import { quoted } from '../../records/fact-sources.server.ts'
import type { CommitContext } from '../action.server.ts'
import { documentUrl } from '../document-links.server.ts'
import { type CallForEffect, type CommitApp, endedBadly, searchedInVain, sinceSending } from './commit-ends.server.ts'

type DocumentEffect = Extract<Effect, { kind: 'produce_document' }>

interface DocumentCommits {
  produce(effect: DocumentEffect, context: CommitContext, call: CallForEffect): Promise<CommitResult>
  find(effect: DocumentEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult>
}

export function createDocumentCommits(
  app: Pick<CommitApp, 'secrets' | 'settings' | 'clock' | 'store'>,
): DocumentCommits {
  function resultOf(accountUuid: string, uuid: string): StepResult {
    return { document_uuid: uuid, document_url: documentUrl(app, accountUuid, uuid) }
  }

  return {
    async produce(effect, { identity }, call) {
      const { objectType, objectUuid, templateType, templateUuid, outputFormat, attachTo, storeToDiary } = effect
      const order = { objectType, objectUuid, templateType, outputFormat, storeToDiary }
      const produced = await call((api, token) =>
        api.produceDocument(token, { ...order, ...(templateUuid !== null && { templateUuid }) }),
      )
      if (produced.outcome !== 'ok') return repeatable(endedBadly(produced, 'this document'))
      if (attachTo === null) return { outcome: 'sent', result: {} }
      const stored = await call((api, token) =>
        api.uploadFile(token, {
          uuid: identity.clientUuid,
          relatedObject: attachTo.object,
          relatedObjectUuid: attachTo.uuid,
          name: effect.fileName,
          fileType: `.${outputFormat}`,
          tags: `fieldhook-${identity.clientUuid}`,
          bytes: produced.value.bytes,
        }),
      )
      if (stored.outcome !== 'ok') return repeatable(endedBadly(stored, 'the file of this document'))
      return { outcome: 'sent', result: resultOf(identity.accountUuid, stored.value.uuid) }
    },

    async find(effect, { identity }, call) {
      // A document that is not kept cannot be found, and a second attempt leaves nothing behind.
      if (effect.attachTo === null && !effect.storeToDiary) return { outcome: 'not_done' }
      if (effect.attachTo === null) return findInDiary(app, effect, identity, call)
      const answer = await call((api, token) => api.fileAddress(token, identity.clientUuid))
      if (answer.outcome === 'ok')
        return { outcome: 'done', result: resultOf(identity.accountUuid, identity.clientUuid) }
      if (answer.outcome === 'refused') return { outcome: 'not_done' }
      return searchedInVain(answer, 'the file of this document')
    },
  }
}

/** The platform's own file has an unknown id: a new file of that format since the request is taken as this one. */
async function findInDiary(
  app: Pick<CommitApp, 'store'>,
  { objectUuid, outputFormat }: DocumentEffect,
  identity: CommitContext['identity'],
  call: CallForEffect,
): Promise<VerifyResult> {
  const since = await sinceSending(app, identity)
  const filter = `related_object_uuid eq '${quoted(objectUuid)}' and active eq '1'`
  const answer = await call((api, token) => api.list(token, 'attachment', { filter }))
  if (answer.outcome !== 'ok') return searchedInVain(answer, "the job's diary")
  const isNew = (file: Values) =>
    file.related_object_uuid === objectUuid &&
    file.file_type === `.${outputFormat}` &&
    (file.timestamp || file.edit_date || '') >= since
  return answer.value.map(valuesOf).some(isNew) ? { outcome: 'done', result: {} } : { outcome: 'not_done' }
}

function repeatable(ended: CommitResult): CommitResult {
  return ended.outcome === 'unknown'
    ? { outcome: 'failed', errorClass: 'unavailable', sentence: runReason('no_clear_answer_again'), retry: true }
    : ended
}
