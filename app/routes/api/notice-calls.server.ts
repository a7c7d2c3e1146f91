// The calls about notices.
import { z } from 'zod'
import { accountOfQuery, answered, DONE, idOfPath, type Reference, success } from '#app/contract/operation.ts'
import { noticeAnswer, noticeSettingsAnswer } from '#app/features/endpoints/api/api-answers.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { changeMailChoice, loadMailSettings } from '#app/features/endpoints/notices/mail-choice.server.ts'
import { listNotices } from '#app/features/notices/list-notices.server.ts'
import { mailChoiceChange } from '#app/features/notices/mail-form.ts'
import { noticeJson, noticeSettingsJson } from '#app/features/notices/notice-view.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'

const settings: z.output<typeof noticeSettingsAnswer> = {
  byMail: true,
  email: 'office@example.com',
  topicsOff: ['silent'],
  weekly: true,
  holidaysOff: true,
  closedDays: [{ from: '2026-12-24', to: '2027-01-03' }],
  problem: null,
}

export const noticeCalls: Reference<Call> = {
  tags: [
    {
      name: 'Notices',
      says: 'What an account is told when an address or an automation stops working, and whether by e-mail.',
    },
  ],
  schemas: { Notice: noticeAnswer, NoticeSettings: noticeSettingsAnswer },
  operations: [
    defineCall({
      id: 'listNotices',
      method: 'GET',
      path: 'api/notices',
      tag: 'Notices',
      summary: 'Lists what the account was told and nobody dismissed, newest first',
      description: [
        'About an address: it begins to fail, stops, or works again.',
        'About an automation: it fails, waits for a person, is silent, its messages do not arrive, or it works again.',
        'About the account: something stops several automations.',
      ],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        answered(200, 'One per address; of automations and the account, all that goes on.', z.array(noticeAnswer), [
          {
            id: 5,
            kind: 'failing',
            webhookId: 7,
            forwardingRuleId: null,
            automationId: null,
            title: 'Job webhook started failing',
            sentence: 'Your address answered 404. Is the scenario switched on?',
            count: 1,
            since: '2026-11-22T00:14:00.000Z',
            createdAt: '2026-11-22T00:30:00.000Z',
            mail: 'E-mail sent to office@example.com.',
          },
        ]),
      ],
      handle: async ({ app, access }) => (await listNotices(app, access.accountUuid)).map(noticeJson),
    }),
    defineCall({
      id: 'dismissNotice',
      method: 'POST',
      path: 'api/notices/:id/dismiss',
      tag: 'Notices',
      summary: 'Takes a notice off the list',
      description: [
        'The answer is the same when it was dismissed before. One about an automation or the account returns after a day while it goes on.',
      ],
      who: 'session',
      parameters: [idOfPath('notice', 'The id of the notice.')],
      answers: [answered(200, 'It is off the list.', success, DONE)],
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.id ?? '')
          return id !== null && (await app.store.notices.dismissNotice(accountUuid, id, app.clock.now())) ? DONE : null
        }),
    }),
    defineCall({
      id: 'showNoticeSettings',
      method: 'GET',
      path: 'api/notice-settings',
      tag: 'Notices',
      summary: 'Says whether notices are sent by e-mail, and to whom',
      description: ['Without an address of its own, notices go to the address ServiceM8 has for the account.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [answered(200, 'What is chosen.', noticeSettingsAnswer, settings)],
      handle: async ({ app, access }) => shown(await loadMailSettings(app, access.accountUuid)),
    }),
    defineCall({
      id: 'changeNoticeSettings',
      method: 'PUT',
      path: 'api/notice-settings',
      tag: 'Notices',
      summary: 'Chooses whether notices are sent by e-mail, and to whom',
      description: ['ServiceM8 sends these e-mails in the name of the account.'],
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: mailChoiceChange,
        fields: {
          byMail: 'True = by e-mail as well.',
          email: 'To whom; null = the address ServiceM8 has.',
          topicsOff: 'What is shown on the pages only.',
          weekly: 'True = one line a week.',
          holidaysOff: 'True = public holidays do not count as silence.',
          closedDays: 'Days without work.',
          'closedDays.from': 'The first day, as a local date: `2026-12-24`.',
          'closedDays.to': 'The last day.',
        },
        example: { byMail: true, email: 'office@example.com', weekly: true },
      },
      answers: [answered(200, 'What is chosen now.', noticeSettingsAnswer, settings)],
      handle: async ({ app, body, access: { accountUuid } }) => {
        await changeMailChoice(app, accountUuid, body)
        return shown(await loadMailSettings(app, accountUuid))
      },
    }),
  ],
}

function shown({ choice, problem }: Awaited<ReturnType<typeof loadMailSettings>>) {
  return noticeSettingsJson(choice, problem)
}
