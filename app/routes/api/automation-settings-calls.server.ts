// The calls about settings for all automations of an account.
import { z } from 'zod'
import { accountOfQuery, answered, DONE, deleted, idOfPath, moment, type Reference } from '#app/contract/operation.ts'
import { muteAnswer, settingsAnswer } from '#app/features/automations/api/api-answers.ts'
import { muteExample, settingsExample } from '#app/features/automations/api/api-examples.ts'
import { allowAgain, listMutes, muteRecord } from '#app/features/automations/history/mutes.server.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { changeSettings, loadSettings } from '#app/features/automations/settings/automation-settings.server.ts'
import { DEFAULT_SETTINGS, settingsChange } from '#app/features/automations/settings/automation-settings.ts'
import { muteBody, muteJson } from '#app/features/automations/settings/mute.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'
import { answer, badInput, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

export const automationSettingsCalls: Reference<Call> = {
  tags: [],
  schemas: { AutomationSettings: settingsAnswer, Mute: muteAnswer },
  operations: [
    defineCall({
      id: 'showAutomationSettings',
      method: 'GET',
      path: 'api/automation-settings',
      tag: 'Automations',
      summary: 'Shows what counts for all automations of the account',
      description: [
        'Quiet hours count for every automation with `quietForAll`, else for those with `respectQuietHours`. Messages wait until quiet hours end.',
        'A message that comes before `customerCooldownDays` are over is skipped. What is over `ruleDailyCap`, `accountDailyCap` or `floodPerHour` is held until a person sends or discards it.',
      ],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [answered(200, 'Every setting, and `defaults`.', settingsAnswer, settingsExample)],
      handle: async ({ app, access }) => ({
        ...(await loadSettings(app, access.accountUuid)),
        defaults: DEFAULT_SETTINGS,
      }),
    }),
    defineCall({
      id: 'changeAutomationSettings',
      method: 'PUT',
      path: 'api/automation-settings',
      tag: 'Automations',
      summary: 'Changes what is named',
      description: ['What is not named stays as it is. The settings count for all automations of the account.'],
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: settingsChange,
        fields: {
          quietFrom: 'A local time of day, `HH:MM`.',
          quietTo: 'The end, which may be on the next morning. The same time twice = no quiet hours.',
          quietWeekends: 'True = Saturday and Sunday are quiet all day, too.',
          quietForAll: 'True = for every automation.',
          customerCooldownDays: 'Days between two messages to one number or e-mail address; 0 = no limit.',
          ruleDailyCap: 'Most customer messages a day of one automation that says nothing itself.',
          accountDailyCap: 'Most customer messages a day of all automations together.',
          floodPerHour: 'More customer messages of one automation within an hour are held.',
          senderStaffUuid:
            'In whose name staff are written to, and whose signature e-mails carry; null = the first active staff member.',
        },
        example: { quietFrom: '19:00', quietTo: '07:30' },
      },
      answers: [
        answered(200, 'Every setting as it is now.', settingsAnswer, {
          ...settingsExample,
          quietFrom: '19:00',
          quietTo: '07:30',
        }),
      ],
      refusals: { 502: 'Another sender was named, and ServiceM8 cannot be asked who works there.' },
      handle: async ({ app, body, access: { accountUuid, staffUuid } }) => {
        const changed = await changeSettings(app, accountUuid, body, staffUuid)
        switch (changed.outcome) {
          case 'saved':
            return { ...changed.settings, defaults: DEFAULT_SETTINGS }
          case 'invalid':
            return badInput(Object.values(changed.errors)[0]?.[0] ?? 'Invalid input', changed.errors)
          case 'not_asked':
            return problem(502, changed.message)
          default:
            return assertNever(changed)
        }
      },
    }),
    defineCall({
      id: 'listMutes',
      method: 'GET',
      path: 'api/mutes',
      tag: 'Automations',
      summary: 'Lists the customers and jobs that no automation writes about, newest first',
      description: ['With who stopped the messages, and when.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [answered(200, 'All of them.', z.array(muteAnswer), [muteExample])],
      handle: async ({ app, access }) => (await listMutes(app, access.accountUuid)).map(muteJson),
    }),
    defineCall({
      id: 'mute',
      method: 'POST',
      path: 'api/mutes',
      tag: 'Automations',
      summary: 'Stops all automatic messages to a customer, or about a job',
      description: ['Messages that already left are not called back. Runs say that they left the customer out.'],
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: muteBody,
        fields: {
          kind: '`company` = a customer, unless it says `job`.',
          recordUuid: { description: 'The uuid of the customer or the job.', format: 'uuid' },
          until: 'A moment with its zone; null = for good.',
        },
        example: { kind: 'company', recordUuid: 'e0a4c1d8-3f57-4b62-9c8e-6d1b7a2f4503', until: null },
      },
      answers: [
        answered(201, 'It was stopped.', muteAnswer, muteExample),
        answered(200, 'It replaced the one of the same record.', muteAnswer, {
          ...muteExample,
          until: moment.parse('2026-12-24T00:00:00Z'),
        }),
      ],
      handle: async ({ app, body: { kind, recordUuid, until }, access: { accountUuid, staffUuid } }) => {
        const wanted = { kind, recordUuid, until: until === null ? null : Date.parse(until) }
        const muted = await muteRecord(app, accountUuid, wanted, staffUuid)
        if (muted.outcome === 'invalid') return badInput(muted.message, { [muted.field]: [muted.message] })
        return answer(muted.isNew ? 201 : 200, muteJson(muted.mute))
      },
    }),
    defineCall({
      id: 'unmute',
      method: 'DELETE',
      path: 'api/mutes/:id',
      tag: 'Automations',
      summary: 'Allows messages again',
      description: ['Messages that were left out meanwhile are not sent later.'],
      who: 'session',
      parameters: [idOfPath('mute', 'The id in the list of what is stopped.')],
      answers: [deleted],
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid, staffUuid }) => {
          const id = parseRuleId(params.id)
          return id !== null && (await allowAgain(app, accountUuid, id, staffUuid)) ? DONE : null
        }),
    }),
  ],
}
