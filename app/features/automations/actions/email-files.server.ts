// The files of an e-mail: those of the jobs, chosen by name, and the document of an earlier step.
import type { PlanWarning } from '#app/domain/automations/effect.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import { quoted } from '../records/fact-sources.server.ts'
import type { PlanContext } from './action.server.ts'
import { afterTrouble, type Ended, ended, impossible, jobTargets, type Wording } from './planning.server.ts'
import { flagParameter, positionParameter } from './read-parameters.ts'

/** More files make an e-mail too large for any mailbox. */
const MOST_FILES = 20
/** Jobs of a group: each costs a call. */
const MOST_JOBS = 10

type ChosenFiles = { outcome: 'ok'; attachments: string[]; documentSteps: string[]; warnings: PlanWarning[] } | Ended

export async function chooseFiles(context: PlanContext, wording: Wording): Promise<ChosenFiles> {
  const document = documentStep(context)
  if (document.outcome === 'missing') return ended(impossible('document_missing', document.sentence))
  const { parameters } = context.step
  const all = flagParameter(parameters, 'includeAllJobAttachments')
  const some = flagParameter(parameters, 'includeJobAttachments')
  // The outer switch alone selects the job's files.
  const plain = flagParameter(parameters, 'includeAttachments') && document.steps.length === 0
  if (!all && !some && !plain) return { outcome: 'ok', attachments: [], documentSteps: document.steps, warnings: [] }

  const found: Values[] = []
  for (const { uuid } of jobTargets(context).slice(0, all ? MOST_JOBS : 1)) {
    const filter = `related_object_uuid eq '${quoted(uuid)}' and active eq '1'`
    const answer = await context.read.list('attachment', { filter })
    if (answer.outcome !== 'ok') return ended(afterTrouble(answer, "the job's files"))
    // Filtered again: the platform ignores a filter it does not understand and returns everybody's files (facts: 5.2).
    found.push(...answer.value.map(valuesOf).filter((file) => isActive(file) && file.related_object_uuid === uuid))
  }
  const filter = all ? '' : wording.parameter('attachmentFilter', 'plain').trim().toLowerCase()
  const wanted = found.filter((file) => (file.attachment_name ?? '').toLowerCase().includes(filter))
  const warnings: PlanWarning[] = []
  if (wanted.length === 0) {
    const which = filter === '' ? 'no files' : `no file with "${filter}" in its name`
    warnings.push({ code: 'no_files', sentence: `The job has ${which}, so none is attached.` })
  }
  if (wanted.length > MOST_FILES) {
    const sentence = `The job has ${wanted.length} such files; the newest ${MOST_FILES} are attached.`
    warnings.push({ code: 'too_many_files', sentence })
  }
  const newest = [...wanted].sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1)).slice(0, MOST_FILES)
  const attachments = newest.flatMap((file) => (file.uuid ? [file.uuid] : []))
  return { outcome: 'ok', attachments, documentSteps: document.steps, warnings }
}

/** `documentActionIndex` counts from 1; without it, the latest document made before this step. */
function documentStep({
  step,
  order,
  results,
}: PlanContext): { outcome: 'ok'; steps: string[] } | { outcome: 'missing'; sentence: string } {
  if (!flagParameter(step.parameters, 'includeGeneratedDocument')) return { outcome: 'ok', steps: [] }
  const position = positionParameter(step.parameters, 'documentActionIndex')
  const own = order.indexOf(step.id)
  const earlier = own < 0 ? order : order.slice(0, own)
  const madeOne = (id: string | undefined) => id !== undefined && (results[id]?.document_uuid ?? '') !== ''
  const id = position === null ? earlier.findLast(madeOne) : earlier[position - 1]
  if (id !== undefined && madeOne(id)) return { outcome: 'ok', steps: [id] }
  const who = position === null ? 'no earlier action made a document' : `action ${position} made no document`
  return { outcome: 'missing', sentence: `Not sent: ${who}, and one was to be attached.` }
}
