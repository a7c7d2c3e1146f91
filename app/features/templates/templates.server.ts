// The template library as one list: built-in templates and those made by admins.
import type { App } from '#app/context/app-context.ts'
import { startsOnAnswers, startsOnMessages } from '#app/domain/automations/rule.ts'
import type { Category } from '#app/domain/template-categories.ts'
import { type ListeningNote, listeningNoteOf } from '#app/features/automations/listening/answers.ts'
import { type NotChecked, notChecked } from '#app/features/automations/preview/too-long.ts'
import { LIBRARY } from './library.ts'
import type { LibraryTemplate, ReadTemplate, TemplateOfJson } from './template.ts'

type TemplatesApp = Pick<App, 'store' | 'clock' | 'log'>
type MakingApp = TemplatesApp & Pick<App, 'apart'>

/** Lists public templates and the account's own, built-in ones first. `category` null = all. */
export async function listTemplates(
  app: TemplatesApp,
  accountUuid: string | null,
  category: Category | null,
): Promise<TemplateOfJson[]> {
  const uses = await app.store.templates.templateUses()
  const facts = accountUuid === null ? null : await app.store.listening.findListening(accountUuid)
  const note = listeningNoteOf(facts)
  const made = await app.store.templates.listTemplates(accountUuid)
  const all: TemplateOfJson[] = [
    ...LIBRARY.map((template) => ({
      overlap: null,
      ...withNote(template, note),
      isPublic: true,
      createdAt: null,
      updatedAt: null,
    })),
    ...made.map((template) => ({ ...template, overlap: null })),
  ].map((template) => ({ ...template, usageCount: uses.get(template.id) ?? 0 }))
  return category === null ? all : all.filter((template) => template.category === category)
}

/** A template that starts on messages says so where they cannot be read. */
function withNote(template: LibraryTemplate, note: ListeningNote): LibraryTemplate {
  const { trigger } = template.definition
  if (note === null || !startsOnMessages(trigger)) return template
  if (note === 'no_answers' && !startsOnAnswers(trigger)) return template
  return { ...template, description: CANNOT_READ[note] }
}

const CANNOT_READ: Readonly<Record<NonNullable<ListeningNote>, string>> = {
  refused: 'ServiceM8 shows us no messages yet. Reconnect in the Webhook Manager.',
  no_answers: 'ServiceM8 shows us no answers. Ask customers to ring you.',
}

/** Counts the use. Null = no such template, or another account's private one. */
export async function copyTemplate(app: TemplatesApp, accountUuid: string, id: number): Promise<TemplateOfJson | null> {
  const template = (await listTemplates(app, accountUuid, null)).find((one) => one.id === id)
  if (!template) return null
  await app.store.templates.countTemplateUse(id)
  return { ...template, usageCount: template.usageCount + 1 }
}

type TemplateMade =
  | { outcome: 'created'; template: TemplateOfJson }
  | Extract<ReadTemplate, { outcome: 'invalid' }>
  | NotChecked

/** For admins; the caller has checked. */
export async function createTemplate(
  app: MakingApp,
  accountUuid: string,
  body: Readonly<Record<string, unknown>>,
): Promise<TemplateMade> {
  const read = await app.apart.do('readTemplateForm', accountUuid, body)
  if (read.outcome !== 'done') return notChecked(read)
  if (read.value.outcome === 'invalid') return read.value
  const { outcome: _outcome, ...input } = read.value
  const at = app.clock.now()
  const id = await app.store.templates.createTemplate(accountUuid, input, at)
  app.log.info({ account: accountUuid, template: id }, 'template.created')
  return { outcome: 'created', template: { ...input, id, overlap: null, usageCount: 0, createdAt: at, updatedAt: at } }
}
