// A task, on the run's job if there is one.
import type { Plan } from '#app/domain/automations/effect.ts'
import type { Action, PlanContext } from './action.server.ts'
import { createWording, jobName, jobTargets, newRecord, planned, textWarnings, withoutText } from './planning.server.ts'
import { textParameter } from './read-parameters.ts'

/** Titles are shown in a list. */
const LONGEST_TITLE = 250

export const createTask: Action = { type: 'create_task', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const wording = createWording(context)
  const title = wording.parameter('title', 'subject').trim().slice(0, LONGEST_TITLE)
  const written = textParameter(context.step.parameters, 'title')
  if (title === '') return withoutText(wording, ['task', 'title'], written)
  const details = wording.parameter('description', 'plain').trim()
  const [target] = jobTargets(context)
  const companyUuid = context.records[0]?.companyUuid ?? null
  const related: Record<string, string> = target
    ? { related_object: 'job', related_object_uuid: target.uuid }
    : companyUuid !== null
      ? { related_object: 'company', related_object_uuid: companyUuid }
      : {}
  const fields = { name: title, ...(details !== '' && { task_details: details }), ...related }
  const summary = `Task "${title}"${target ? ` on ${jobName(target.record)}` : ''}`
  return planned(wording, [newRecord('task', fields, summary)], {
    warnings: textWarnings(wording),
    standIn: { task_uuid: 'the task (made when it runs)' },
  })
}
