// The calls about automations: the rules, and their triggers.
import { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import {
  accountOfPath,
  accountOfQuery,
  answered,
  DEMO_JOB,
  DONE,
  deleted,
  idOfPath,
  type Reference,
} from '#app/contract/operation.ts'
import { ACTION_SPECS, type ParameterSpec } from '#app/domain/automations/action-parameters.ts'
import { POLL_ENDPOINTS } from '#app/domain/automations/rule.ts'
import { WANTED } from '#app/domain/wanted.ts'
import { WRITABLE_JOB_FIELDS } from '#app/features/automations/actions/job-fields.ts'
import {
  executionAnswer,
  notMetAnswer,
  previewedAnswer,
  ranAnswer,
  ruleAnswer,
} from '#app/features/automations/api/api-answers.ts'
import { executionExample, ruleBodyExample, ruleExample } from '#app/features/automations/api/api-examples.ts'
import { runNow } from '#app/features/automations/preview/run-now.server.ts'
import { ranNowText } from '#app/features/automations/preview/run-now-text.ts'
import { LONGEST_RULE, MOST_OF_RULES } from '#app/features/automations/rules/checks/rule-size.ts'
import { RULE_FIELD_NOTES } from '#app/features/automations/rules/rule-field-notes.ts'
import { MOST_ACTIONS, MOST_CONDITIONS } from '#app/features/automations/rules/rule-fields.ts'
import { activeOnly, parseRuleId, ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { ruleJson } from '#app/features/automations/rules/rule-json.ts'
import { judgedAt } from '#app/features/automations/rules/rule-place.server.ts'
import { changeRule, createRule, deleteRule, triggerUrlOf } from '#app/features/automations/rules/rules.server.ts'
import { listExecutions } from '#app/features/automations/runs/run-history.server.ts'
import { readIdempotencyKey, triggerBody } from '#app/features/automations/triggers/trigger-call.ts'
import { findTriggered, type Triggered, triggerRule } from '#app/features/automations/triggers/trigger-rule.server.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'
import { requireAccount, requireAdmin } from '#app/http/guards.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { answer, badInput, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { RULE_BODY, RULE_TOO_LARGE, ruleRefusal } from './rule-refusal.ts'

const ruleId = idOfPath('automation', 'The id of the automation.')
const parameterNames = ACTION_SPECS.map(
  ({ type, parameters }) =>
    `\`${type}\`: ${parameters.map((one) => (one.required ? `**${one.name}**` : one.name) + choicesOf(one)).join(', ')}.`,
)

function choicesOf({ choices }: ParameterSpec): string {
  return choices ? ` (${choices.map((one) => `\`${one}\``).join(', ')})` : ''
}

const TOO_LONG = { 413: RULE_TOO_LARGE, 422: 'The automation takes too long to check. Make its texts shorter.' }

const flag = z.boolean(WANTED.flag).optional()

const runBody = z.strictObject({
  bypassConditions: flag,
  adminCheckMode: flag,
  preview: flag,
  /** Includes records that were handled before, or in the baseline. */
  includeHandled: flag,
  recordUuid: z
    .string(WANTED.record)
    .regex(/^[\w-]{1,100}$/, WANTED.record)
    .transform((uuid) => uuid.toLowerCase())
    .nullish(),
})

export const automationCalls: Reference<Call> = {
  tags: [
    {
      name: 'Automations',
      says: 'When something happens, only if, then do: rules, their runs, and what protects customers.',
    },
  ],
  schemas: { Automation: ruleAnswer, Execution: executionAnswer },
  operations: [
    defineCall({
      id: 'listAutomations',
      method: 'GET',
      path: 'api/automation',
      tag: 'Automations',
      summary: "Lists an account's automations",
      description: ['Newest first, switched on or off, each with its conditions and actions.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [answered(200, 'All of them.', z.array(ruleAnswer), [ruleExample])],
      handle: async ({ app, access: { accountUuid, accountId } }) => {
        const rules = await app.store.automations.listAutomations(accountUuid)
        const at = await judgedAt(app, accountUuid)
        const listed: ReturnType<typeof ruleJson>[] = []
        const turn = takingTurns()
        for (const rule of rules) {
          listed.push(ruleJson(rule, accountId, await triggerUrlOf(app, rule), at))
          await turn()
        }
        return listed
      },
    }),
    defineCall({
      id: 'createAutomation',
      method: 'POST',
      path: 'api/automation',
      tag: 'Automations',
      summary: "Makes an automation from the form's fields",
      description: [
        'What the server owns (counts, dates, addresses) is refused by name, not ignored.',
        `Webhook rules name \`webhookSubscriptionId\` or \`object\`, and \`triggerType\`. Polled rules name \`apiEndpoint\` (${POLL_ENDPOINTS.map((one) => `\`${one}\``).join(', ')}) and \`pollInterval\`. A manual rule's answer carries its \`triggerUrl\`.`,
        `\`conditions\` (at most ${MOST_CONDITIONS}): AND binds tighter than OR. \`actions\` (at most ${MOST_ACTIONS}) run in order. An automation has at most ${LONGEST_RULE.toLocaleString('en')} characters with all its texts, those of an account together ${MOST_OF_RULES.toLocaleString('en')}.`,
        `The parameters of each action, required ones in bold. ${parameterNames.join(' ')}`,
        'A line of `materials` is `{"material_uuid", "quantity", "unit_cost"}`, one of `material_bundles` `{"bundle_uuid", "quantity"}`; without `quantity` it is 1. Errors name the line and its part: `actions.0.parameters.materials.1.quantity`.',
        `\`update_job_field\` writes one \`fieldName\`: ${WRITABLE_JOB_FIELDS.map(({ name }) => `\`${name}\``).join(', ')}. For \`badges\`, \`fieldValue\` holds names or ids separated by commas; \`badgeChange\` adds or removes these, and without it they replace the whole list.`,
        '`send_notification` posts `{"message", "automation", "job"}` to `url`, signed like a forward, with the secret of the webhook or rule of that address, else of your first webhook. Without a webhook it is not signed. A message of `name=value` lines comes as `data` too. Without `url` it goes to the webhook of the rule, else to the first active webhook that has an address.',
      ],
      who: 'session',
      body: {
        ...{ schema: ruleForm, raw: true, account: 'accountUUID', maxBytes: RULE_BODY },
        ...{ fields: RULE_FIELD_NOTES, example: ruleBodyExample },
      },
      answers: [answered(201, 'It was made.', ruleAnswer, ruleExample)],
      refusals: TOO_LONG,
      handle: async ({ app, body, access: { accountUuid, accountId } }) => {
        const made = await createRule(app, accountUuid, body)
        return made.outcome === 'saved' ? savedJson(app, made, accountUuid, accountId) : ruleRefusal(made)
      },
    }),
    defineCall({
      id: 'changeAutomation',
      method: 'PUT',
      path: 'api/automation/:id',
      tag: 'Automations',
      summary: 'Changes an automation: the form, or exactly `{"active": true}`',
      description: ['A run that has begun ends with the version it began with.'],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: z.union([ruleForm, activeOnly]),
        raw: true,
        maxBytes: RULE_BODY,
        fields: { ...RULE_FIELD_NOTES, accountUUID: 'May be named, when it is the same.' },
        example: { active: false },
      },
      answers: [answered(200, 'As it is now.', ruleAnswer, { ...ruleExample, active: false })],
      refusals: TOO_LONG,
      handle: async ({ app, request, session, params, body: { accountUUID, ...body } }) => {
        const named = accountUUID === undefined ? null : await requireAccount(app, request, accountUUID)
        return inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseRuleId(params.id)
          if (id === null || (named && named.accountUuid !== accountUuid)) return null
          const changed = await changeRule(app, accountUuid, id, body)
          if (changed.outcome === 'not_found') return null
          if (changed.outcome !== 'saved') return ruleRefusal(changed)
          return savedJson(app, changed, accountUuid, named?.accountId ?? accountUuid)
        })
      },
    }),
    defineCall({
      id: 'deleteAutomation',
      method: 'DELETE',
      path: 'api/automation/:id',
      tag: 'Automations',
      summary: 'Deletes an automation',
      description: ['Runs that have not begun are cancelled.'],
      who: 'session',
      parameters: [ruleId],
      answers: [deleted],
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseRuleId(params.id)
          return id !== null && (await deleteRule(app, accountUuid, id)).outcome === 'deleted' ? DONE : null
        }),
    }),
    defineCall({
      id: 'runAutomation',
      method: 'POST',
      path: 'api/automation/:id/run',
      tag: 'Automations',
      summary: 'Runs an automation now, by hand',
      description: [
        '`preview` plans everything and sends nothing. `bypassConditions` acts on one record only: the one given, else the newest.',
        'Records that were handled before, or were there when it was switched on, are left alone: `execution` is null and `alreadyHandled` says how many and why. `includeHandled` acts on them. The same run for the same record within 10 seconds is answered with the first one, and `repeated` is true.',
      ],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: runBody,
        fields: {
          bypassConditions: 'True = whatever its conditions say.',
          preview: 'True = show what would happen.',
          adminCheckMode: 'The same, for admins.',
          recordUuid: 'Only this record.',
          includeHandled: 'True = also what was handled before.',
        },
        example: { preview: true },
      },
      answers: [
        answered(
          200,
          'It runs; or, after `preview` and `adminCheckMode`, what would happen.',
          z.union([ranAnswer, previewedAnswer]),
          {
            message: 'This is what would happen. Nothing was sent.',
            execution: executionExample,
            preview: { steps: [], customerMessages: 1, credits: 1, matched: 1, total: 60 },
          },
        ),
      ],
      refusals: {
        400: 'Nothing matched: `conditionsNotMet` is true, and `failedConditions` says why. Or there is no such record.',
        403: '`adminCheckMode` without the role of an admin.',
        502: 'ServiceM8 cannot be asked.',
      },
      refusalSchemas: { 400: notMetAnswer },
      limit: LIMITS.run,
      find: async ({ app, params }, accountUuid) => {
        const id = parseRuleId(params.id)
        return id === null ? null : app.store.automations.findAutomation(accountUuid, id)
      },
      handle: async ({ app, found: rule, body, access }) => {
        if (body.adminCheckMode) requireAdmin(access)
        const ran = await runNow(app, rule, {
          bypassConditions: body.bypassConditions === true,
          pretend: body.adminCheckMode === true || body.preview === true,
          recordUuid: body.recordUuid ?? null,
          includeHandled: body.includeHandled === true,
          seen: null,
        })
        switch (ran.outcome) {
          case 'ran':
            return {
              message: ranNowText(ran),
              execution: ran.executions[0] ?? null,
              executions: ran.executions,
              started: ran.started,
              repeated: ran.repeated > 0,
              doneBefore: ran.handled?.count ?? 0,
              alreadyHandled: ran.handled,
            }
          case 'changed':
            throw new Error('nothing was shown that could have changed')
          case 'previewed':
            return {
              message: 'This is what would happen. Nothing was sent.',
              execution: ran.execution,
              preview: ran.preview,
            }
          case 'conditions_not_met':
            return answer(400, {
              message: ran.message,
              conditionsNotMet: true,
              automationId: rule.id,
              automationName: rule.name,
              failedConditions: ran.failed.map(({ field, operator, value }) => ({ field, operator, value })),
            })
          case 'no_record':
            return problem(400, ran.message)
          case 'unavailable':
            return problem(502, ran.message)
          default:
            return assertNever(ran)
        }
      },
    }),
    defineCall({
      id: 'triggerAutomation',
      method: 'POST',
      path: 'api/automation/:id/trigger',
      tag: 'Automations',
      summary: 'Starts a manual automation, for other programs',
      description: [
        'The key in the address is the proof: no session, and cookies are not looked at. A wrong or missing key is answered like an automation that does not exist.',
        'Each call is one run. Only an equal `Idempotency-Key` within 24 hours is the same run. For a job that does not meet the conditions, it does nothing.',
        'The `message` says when the run waits: for its schedule, or because nothing is sent for the account.',
      ],
      who: 'key',
      parameters: [
        ruleId,
        {
          name: 'key',
          in: 'query',
          schema: z.string(),
          required: true,
          description: 'From the `triggerUrl` of the automation.',
          example: 'YOUR_KEY',
        },
        {
          name: 'Idempotency-Key',
          in: 'header',
          schema: z.string().max(255),
          required: false,
          description: 'Your own name for this call: up to 255 visible characters.',
        },
      ],
      body: {
        schema: triggerBody,
        fields: {
          job_uuid: 'The job it is about.',
          date: { description: 'A day of the calendar, `YYYY-MM-DD`.', format: 'date' },
        },
        example: { job_uuid: DEMO_JOB, date: '2026-11-22' },
      },
      answers: [
        answered(202, 'It was started, or had been.', z.object({ message: z.string(), executionId: z.int() }), {
          message: 'Automation triggered',
          executionId: 233,
        }),
      ],
      refusals: {
        409: 'The automation is switched off or stopped, or the `Idempotency-Key` was used with another body.',
      },
      limit: LIMITS.trigger,
      find: ({ app, params, query }) => findTriggered(app, parseRuleId(params.id), query.get('key')),
      handle: async ({ app, request, found: rule, body }) => {
        const idempotency = readIdempotencyKey(request.headers.get('idempotency-key'))
        if (idempotency.bad) return badInput('Idempotency-Key has up to 255 visible characters.')
        const triggered = await triggerRule(app, rule, body, idempotency.key)
        return triggered.outcome === 'accepted'
          ? { message: triggeredText(triggered), executionId: triggered.runId }
          : problem(409, triggered.message)
      },
    }),
    defineCall({
      id: 'listExecutions',
      method: 'GET',
      path: 'api/automation-logs/:accountUUID',
      tag: 'Automations',
      summary: 'Lists the last 20 executions of all automations, step by step',
      description: [
        'Each record in `triggerData.conditionMatching.matchedRecords` names its customer: `companyUuid`, `companyName`.',
      ],
      who: 'session',
      parameters: [accountOfPath],
      answers: [answered(200, 'Newest first.', z.array(executionAnswer), [executionExample])],
      handle: ({ app, access }) => listExecutions(app, access.accountUuid),
    }),
  ],
}

async function savedJson(
  app: App,
  { rule, warning }: Extract<Awaited<ReturnType<typeof changeRule>>, { outcome: 'saved' }>,
  accountUuid: string,
  accountId: string,
) {
  const json = ruleJson(rule, accountId, await triggerUrlOf(app, rule), await judgedAt(app, accountUuid))
  return warning === null ? json : { ...json, warning }
}

function triggeredText({ repeated, waits, doneBefore }: Extract<Triggered, { outcome: 'accepted' }>): string {
  if (doneBefore !== undefined && !repeated) return doneBefore
  if (waits === null) return repeated ? 'This run was started before.' : 'Automation triggered'
  return `${repeated ? 'This run was started before' : 'Automation triggered'}. It waits: ${waits}.`
}
