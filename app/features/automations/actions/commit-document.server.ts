// A document: produced, then stored as a file under an id of ours. Until it is stored nothing has happened, and storing it twice is
// storing it once, so that every unclear end may simply be repeated.

import { documentUrl } from '../document-links.server.ts'
import type { CommitContext } from './action.server.ts'
import { type CallForEffect, type CommitApp, endedBadly, lookedInVain } from './commit-ends.server.ts'
import type { CommitResult, Effect, StepResult, VerifyResult } from './effect.ts'

type DocumentEffect = Extract<Effect, { kind: 'produce_document' }>

export interface DocumentCommits {
  produce(effect: DocumentEffect, context: CommitContext, call: CallForEffect): Promise<CommitResult>
  find(effect: DocumentEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult>
}

export function createDocumentCommits(app: Pick<CommitApp, 'secrets' | 'settings' | 'clock'>): DocumentCommits {
  function resultOf(accountUuid: string, uuid: string): StepResult {
    return { document_uuid: uuid, document_url: documentUrl(app, accountUuid, uuid) }
  }

  return {
    async produce(effect, { identity }, call) {
      const { objectType, objectUuid, templateType, templateUuid, outputFormat, attachTo } = effect
      const order = { objectType, objectUuid, templateType, outputFormat, storeToDiary: effect.storeToDiary }
      const produced = await call((api, token) =>
        api.produceDocument(token, { ...order, ...(templateUuid !== null && { templateUuid }) }),
      )
      if (produced.outcome !== 'ok') return repeatable(endedBadly(produced, 'this document'))
      const related = attachTo ?? { object: objectType === 'Job' ? 'job' : 'company', uuid: objectUuid }
      const stored = await call((api, token) =>
        api.uploadFile(token, {
          uuid: identity.clientUuid,
          relatedObject: related.object,
          relatedObjectUuid: related.uuid,
          name: effect.fileName,
          fileType: `.${outputFormat}`,
          tags: `fieldhook-${identity.clientUuid}`,
          bytes: produced.value.bytes,
        }),
      )
      if (stored.outcome !== 'ok') return repeatable(endedBadly(stored, 'the file of this document'))
      return { outcome: 'sent', result: resultOf(identity.accountUuid, stored.value.uuid) }
    },

    async find(_effect, { identity }, call) {
      const answer = await call((api, token) => api.fileAddress(token, identity.clientUuid))
      if (answer.outcome === 'ok')
        return { outcome: 'done', result: resultOf(identity.accountUuid, identity.clientUuid) }
      if (answer.outcome === 'refused') return { outcome: 'not_done' }
      return lookedInVain(answer, 'the file of this document')
    },
  }
}

function repeatable(ended: CommitResult): CommitResult {
  return ended.outcome === 'unknown'
    ? { outcome: 'failed', errorClass: 'unavailable', sentence: `${ended.sentence} It is tried again.`, retry: true }
    : ended
}
