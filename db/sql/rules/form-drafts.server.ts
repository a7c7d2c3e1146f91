// Half-written forms: the newest has the highest id.
import type { FormDraftStore, NewFormDraft } from '../../store/form-drafts.ts'
import type { Connections } from '../connections.ts'

export function formDraftStore({ db }: Connections): FormDraftStore {
  const forget = db.prepare('DELETE FROM form_draft WHERE expires_at <= @now')
  const replace = db.prepare('DELETE FROM form_draft WHERE token_hash = @before AND account_uuid = @accountUuid')
  const insert = db.prepare<NewFormDraft>(
    `INSERT INTO form_draft (account_uuid, token_hash, form_sealed, weight, expires_at)
     VALUES (@accountUuid, @tokenHash, @formSealed, @weight, @expiresAt)`,
  )
  const forgetOldest = db.prepare<{ accountUuid: string; ofAccount: number }>(
    `DELETE FROM form_draft WHERE account_uuid = @accountUuid AND id NOT IN
       (SELECT id FROM form_draft WHERE account_uuid = @accountUuid ORDER BY id DESC LIMIT @ofAccount)`,
  )
  const forgetBeyond = db.prepare<{ heaviest: number }>(
    `DELETE FROM form_draft WHERE id IN (SELECT id FROM
       (SELECT id, sum(weight) OVER (ORDER BY id DESC) AS together FROM form_draft) AS summed WHERE together > @heaviest)`,
  )
  const find = db
    .prepare<{ accountUuid: string; tokenHash: string; now: number }, string>(
      `SELECT form_sealed FROM form_draft
       WHERE token_hash = @tokenHash AND account_uuid = @accountUuid AND expires_at > @now`,
    )
    .pluck()

  return {
    keepFormDraft: db.write(function* (draft, before, { ofAccount, heaviest }, now) {
      const { accountUuid } = draft
      yield* forget.run({ now })
      const goesOn = before !== null && (yield* replace.run({ before, accountUuid })).changes === 1
      const tokenHash = goesOn ? before : draft.tokenHash
      yield* insert.run({ ...draft, tokenHash })
      yield* forgetOldest.run({ accountUuid, ofAccount })
      yield* forgetBeyond.run({ heaviest })
      return tokenHash
    }),
    findFormDraft: db.read(function* (accountUuid, tokenHash, now) {
      return (yield* find.get({ accountUuid, tokenHash, now })) ?? null
    }),
  }
}
