// The calls that a webhook and a forwarding rule have in common, as the reference tells them.
import type { z } from 'zod'
import { idOfPath, type Operation, type Parameter } from '#app/contract/operation.ts'
import { OWNERS_ONLY } from '#app/contract/refusals.ts'
import { replayBody } from '../controls/replay-request.ts'
import { checkAnswer, replayAnswer, replayStarted, rotationAnswer } from './api-answers.ts'

const replayId = idOfPath('The `replayId` that the replay was answered with.', 'replayId')

/** What can be asked of one address is the same for a webhook's and a forwarding rule's. */
export function addressCalls(of: { name: string; tag: string; route: string; parameter: Parameter }): Operation[] {
  const { name, tag, route, parameter } = of
  const theirs = `the ${name.toLowerCase()}'s address`
  const one = name.replace(' rule', 'Rule')
  return [
    {
      id: `check${one}`,
      method: 'POST',
      route: `${route}/check`,
      tag,
      summary: `Looks at ${theirs} step by step, and sends no event`,
      description: [
        'Name, connection, certificate, redirect and answer, each with what to do about it. It counts as no delivery.',
      ],
      who: 'session',
      parameters: [parameter],
      answers: [
        {
          status: 200,
          says: 'What was found.',
          schema: checkAnswer,
          example: {
            url: 'https://hooks.example.com/servicem8',
            checkedAt: '2026-11-22T01:10:00.000Z',
            verdict: 'ok',
            summary: 'Your address can be reached and answers.',
            steps: [{ name: 'address', verdict: 'ok', sentence: 'The address may be called.', fix: null }],
          },
        },
      ],
      refusals: { 400: 'It has no address.' },
      limit: '5 a minute and account',
    },
    {
      id: `replay${one}`,
      method: 'POST',
      route: `${route}/replay`,
      tag,
      summary: 'Sends everything since a moment again',
      description: ['With `dryRun` it only counts. The same wish while it runs is answered with the replay that runs.'],
      who: 'session',
      parameters: [parameter],
      body: {
        schema: replayBody,
        fields: {
          since: 'A date and time with its zone.',
          status: '`failed`: only what was given up or stopped, and never delivered.',
          objectUuid: { description: 'Only of this record.', maxLength: 64 },
          dryRun: 'True = only count.',
        },
        example: { since: '2026-11-21T09:00:00Z', status: 'failed', dryRun: true },
      },
      answers: [
        {
          status: 202,
          says: 'It has begun, or was counted.',
          schema: replayStarted,
          example: { count: 12, replayId: 4 },
        },
      ],
      refusals: {
        409: 'There is no address to send to.',
        503: 'There is no room for so many just now. `Retry-After` says when.',
      },
    },
    {
      id: `show${one}Replay`,
      method: 'GET',
      route: `${route}/replay/:replayId`,
      tag,
      summary: 'Says how far a replay is',
      description: ['Ask again until `state` is no longer `running`.'],
      who: 'session',
      parameters: [parameter, replayId],
      answers: [{ status: 200, says: 'Where it stands.', schema: replayAnswer, example: replayExample }],
    },
    {
      id: `cancel${one}Replay`,
      method: 'DELETE',
      route: `${route}/replay/:replayId`,
      tag,
      summary: 'Cancels what a replay has not sent yet',
      description: ['On one that has ended it changes nothing.'],
      who: 'session',
      parameters: [parameter, replayId],
      answers: [
        {
          status: 200,
          says: 'How far it had come.',
          schema: replayAnswer,
          example: { ...replayExample, state: 'cancelled', endedAt: '2026-11-22T01:12:00.000Z' },
        },
      ],
    },
    {
      id: `rotate${one}Secret`,
      method: 'POST',
      route: `${route}/rotate-secret`,
      tag,
      summary: 'Makes a new signing secret',
      description: [
        'The old one stays valid for 24 hours: until then events carry both signatures. Asked again within a minute, the answer is the same.',
      ],
      who: 'session',
      parameters: [parameter],
      answers: [
        {
          status: 200,
          says: 'The new secret.',
          schema: rotationAnswer,
          example: {
            signingSecret: 'whsec_put-your-own-here',
            previousValidUntil: '2026-11-23T01:10:00.000Z',
          },
        },
      ],
      refusals: { 403: OWNERS_ONLY },
    },
  ]
}

const replayExample: z.output<typeof replayAnswer> = {
  replayId: 4,
  state: 'running',
  count: 12,
  delivered: 7,
  undelivered: 0,
  since: '2026-11-21T09:00:00.000Z',
  status: 'failed',
  objectUuid: null,
  createdAt: '2026-11-22T01:10:00.000Z',
  endedAt: null,
}

export const testExample = { success: true, statusCode: 204, responseTime: 31, error: null }
