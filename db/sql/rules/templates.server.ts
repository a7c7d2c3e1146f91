import type { Clock } from '#app/lib/clock.ts'
import type { TemplateRow, TemplateStore } from '../../store/templates.ts'
import type { Client } from '../../sqlite/client.server.ts'

/** Lower ids belong to the library. */
const FIRST_ID = 1_000

interface SqlRow extends Omit<TemplateRow, 'isPublic' | 'definition'> {
  isPublic: number
  definition: string
}

export function templateStore({ sql }: Client, _clock: Clock): TemplateStore {
  const list = sql.prepare<{ accountUuid: string | null }, SqlRow>(
    `SELECT id, account_uuid AS accountUuid, name, description, category, is_public AS isPublic, definition,
       created_at AS createdAt, updated_at AS updatedAt
     FROM automation_template WHERE is_public = 1 OR account_uuid = @accountUuid ORDER BY id DESC`,
  )
  const nextId = sql
    .prepare<{ firstId: number }, number>('SELECT max(@firstId, coalesce(max(id), 0) + 1) FROM automation_template')
    .pluck()
  const insert = sql.prepare(
    `INSERT INTO automation_template (id, account_uuid, name, description, category, is_public, definition, created_at, updated_at)
     VALUES (@id, @accountUuid, @name, @description, @category, @isPublic, @definition, @at, @at)`,
  )
  const uses = sql.prepare<[], { id: number; count: number }>('SELECT template_id AS id, count FROM template_use')
  const use = sql.prepare(
    `INSERT INTO template_use (template_id, count) VALUES (@templateId, 1)
     ON CONFLICT (template_id) DO UPDATE SET count = count + 1`,
  )
  const create = sql.transaction((...[accountUuid, input, at]: Parameters<TemplateStore['createTemplate']>): number => {
    const id = nextId.get({ firstId: FIRST_ID }) ?? FIRST_ID
    insert.run({
      ...input,
      ...{ id, accountUuid, at },
      isPublic: input.isPublic ? 1 : 0,
      definition: JSON.stringify(input.definition),
    })
    return id
  })

  return {
    async listTemplates(accountUuid) {
      return list.all({ accountUuid }).map((row) => ({
        ...row,
        isPublic: row.isPublic === 1,
        definition: JSON.parse(row.definition) as TemplateRow['definition'],
      }))
    },
    async createTemplate(accountUuid, input, at) {
      return create.immediate(accountUuid, input, at)
    },
    async templateUses() {
      return new Map(uses.all().map(({ id, count }) => [id, count]))
    },
    async countTemplateUse(templateId) {
      use.run({ templateId })
    },
  }
}
