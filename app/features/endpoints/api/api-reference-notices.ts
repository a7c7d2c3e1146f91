// The calls about notices, as the reference tells them.
import { z } from 'zod'
import { accountOfQuery, idOfPath, type Operation, success } from '#app/contract/operation.ts'
import { mailChoiceChange } from '../notices/notice-mail.ts'
import { noticeAnswer, noticeSettingsAnswer } from './api-answers.ts'

const settings: z.output<typeof noticeSettingsAnswer> = { byMail: true, email: 'office@example.com', problem: null }

export const NOTICE_CALLS: readonly Operation[] = [
  {
    id: 'listNotices',
    method: 'GET',
    route: 'api/notices',
    tag: 'Notices',
    summary: 'Lists what the account was told and nobody dismissed, newest first',
    description: ['A notice comes when an address begins to fail, stops, or works again.'],
    who: 'session',
    parameters: [accountOfQuery],
    answers: [
      {
        status: 200,
        says: 'One per address.',
        schema: z.array(noticeAnswer),
        example: [
          {
            id: 5,
            kind: 'failing',
            webhookId: 7,
            forwardingRuleId: null,
            title: 'Your Job webhook is failing',
            sentence: 'Your address answered 404. Is the scenario switched on?',
            since: '2026-11-22T00:14:00.000Z',
            createdAt: '2026-11-22T00:30:00.000Z',
            mail: 'Sent to office@example.com',
          },
        ],
      },
    ],
  },
  {
    id: 'dismissNotice',
    method: 'POST',
    route: 'api/notices/:id/dismiss',
    tag: 'Notices',
    summary: 'Takes a notice off the list',
    description: ['The answer is the same when it was dismissed before.'],
    who: 'session',
    parameters: [idOfPath('The id of the notice.')],
    answers: [{ status: 200, says: 'It is off the list.', schema: success, example: { success: true } }],
  },
  {
    id: 'showNoticeSettings',
    method: 'GET',
    route: 'api/notice-settings',
    tag: 'Notices',
    summary: 'Says whether notices are sent by e-mail, and to whom',
    description: ['Without an address of its own, notices go to the address ServiceM8 has for the account.'],
    who: 'session',
    parameters: [accountOfQuery],
    answers: [{ status: 200, says: 'What is chosen.', schema: noticeSettingsAnswer, example: settings }],
  },
  {
    id: 'changeNoticeSettings',
    method: 'PUT',
    route: 'api/notice-settings',
    tag: 'Notices',
    summary: 'Chooses whether notices are sent by e-mail, and to whom',
    description: ['ServiceM8 sends these e-mails in the name of the account.'],
    who: 'session',
    parameters: [accountOfQuery],
    body: {
      schema: mailChoiceChange,
      fields: { byMail: 'True = by e-mail as well.', email: 'To whom; null = the address ServiceM8 has.' },
      example: { byMail: true, email: 'office@example.com' },
    },
    answers: [{ status: 200, says: 'What is chosen now.', schema: noticeSettingsAnswer, example: settings }],
  },
]
