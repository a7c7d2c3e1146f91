// Posts to the account's activity feed. The platform's feed call is unknown (facts: section 8): if the installation has
// no address for it, the text becomes a note on the job, and the plan says so.
import { FEED_MOST } from '#app/domain/automations/action-parameters.ts'
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import type { Action, PlanContext } from './action.server.ts'
import { createWording, impossible, jobName, jobTargets, planned, textWarnings } from './planning.server.ts'
import { flagParameter } from './read-parameters.ts'

export const postActivityFeed: Action = { type: 'post_activity_feed', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const wording = createWording(context)
  const said = wording.parameter('message', 'plain').trim()
  if (said === '') return impossible('invalid', 'The feed message has no text. Open the automation and write one.')
  const warnings: PlanWarning[] = textWarnings(wording)
  const message = said.length <= FEED_MOST ? said : `${said.slice(0, FEED_MOST - 1)}…`
  if (message !== said) {
    const sentence = `With its values, the message has ${said.length} characters. We cut it to ${FEED_MOST}.`
    warnings.push({ code: 'shortened', sentence })
  }
  const actionBar = flagParameter(context.step.parameters, 'showActionBar')
  if (context.feed) return planned(wording, [feedEffect(message, actionBar)], { warnings })

  const [target] = jobTargets(context)
  const record = context.records[0]
  const related = target
    ? { object: 'job', uuid: target.uuid, words: jobName(target.record) }
    : record?.companyUuid
      ? { object: 'company', uuid: record.companyUuid, words: record.values.company_name || 'the customer' }
      : null
  if (!related) {
    return impossible(
      'invalid',
      'ServiceM8 does not let us post to its activity feed. A note needs a job, and there is none.',
      warnings,
    )
  }
  warnings.push({
    code: 'note_instead',
    sentence: `ServiceM8 does not let us post to its activity feed. This becomes a note on ${related.words}.`,
  })
  const effect: Effect = {
    kind: 'create_record',
    class: 'create',
    object: 'note',
    fields: {
      related_object: related.object,
      related_object_uuid: related.uuid,
      note: message,
      // The closest equivalent to an action bar: the note asks for action.
      ...(actionBar && { action_required: '1' }),
    },
    parents: {},
    readBack: [],
    summary: `Note on ${related.words}`,
  }
  return planned(wording, [effect], { warnings })
}

function feedEffect(message: string, showActionBar: boolean): Effect {
  return { kind: 'post_feed', class: 'staff', message, showActionBar, summary: 'Message in the activity feed' }
}
