import type { Clock } from '#app/lib/clock.ts'
import type { TemplateRow, TemplateStore } from '../../store/templates.ts'
import type { Connections } from '../connections.ts'

/** Lower ids belong to the library. */
const FIRST_ID = 1_000

interface SqlRow extends Omit<TemplateRow, 'isPublic' | 'definition'> {
  isPublic: number
  definition: string
}

export function templateStore({ db }: Connections, _clock: Clock): TemplateStore {
  const list = db.prepare<{ accountUuid: string | null }, SqlRow>(
    `SELECT id, account_uuid AS accountUuid, name, description, category, is_public AS isPublic, definition,
       created_at AS createdAt, updated_at AS updatedAt
     FROM automation_template WHERE is_public = 1 OR account_uuid = @accountUuid ORDER BY id DESC`,
  )
  // An erased one has left its count of uses, which is not the next one's.
  const nextId = db
    .prepare<{ firstId: number }, number>(
      `SELECT max(@firstId, coalesce(max(id), 0) + 1) FROM
         (SELECT id FROM automation_template UNION ALL SELECT template_id FROM template_use) AS taken`,
    )
    .pluck()
  const insert = db.prepare(
    `INSERT INTO automation_template (id, account_uuid, name, description, category, is_public, definition, created_at, updated_at)
     VALUES (@id, @accountUuid, @name, @description, @category, @isPublic, @definition, @at, @at)`,
  )
  const uses = db.prepare<[], { id: number; count: number }>('SELECT template_id AS id, count FROM template_use')
  const use = db.prepare(
    `INSERT INTO template_use (template_id, count) VALUES (@templateId, 1)
     ON CONFLICT (template_id) DO UPDATE SET count = template_use.count + 1`,
  )

  return {
    listTemplates: db.read(function* (accountUuid) {
      return (yield* list.all({ accountUuid })).map((row) => ({
        ...row,
        isPublic: row.isPublic === 1,
        definition: JSON.parse(row.definition) as TemplateRow['definition'],
      }))
    }),
    createTemplate: db.write(function* (accountUuid, input, at) {
      const id = (yield* nextId.get({ firstId: FIRST_ID })) ?? FIRST_ID
      yield* insert.run({
        ...input,
        ...{ id, accountUuid, at },
        isPublic: input.isPublic ? 1 : 0,
        definition: JSON.stringify(input.definition),
      })
      return id
    }),
    templateUses: db.read(function* () {
      return new Map((yield* uses.all()).map(({ id, count }) => [id, count]))
    }),
    countTemplateUse: db.write(function* (templateId) {
      yield* use.run({ templateId })
    }),
  }
}
