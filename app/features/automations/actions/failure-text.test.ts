import { describe, expect, it } from 'vitest'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { missingScope } from '#app/lib/missing-scope.ts'
import { type CallTrouble, reportTrouble } from './failure-text.ts'

const trouble = (outcome: CallTrouble['outcome'], more: Partial<CallTrouble> = {}): CallTrouble => ({
  outcome,
  message: 'Their words',
  ...more,
})

describe('a failure in words', () => {
  it.each([
    [trouble('unauthorized'), 'reconnect', 'Please click Reconnect in the Webhook Manager.'],
    [trouble('not_connected'), 'reconnect', 'Please click Reconnect in the Webhook Manager.'],
    [trouble('reconnect'), 'reconnect', 'Please click Reconnect in the Webhook Manager.'],
    [trouble('suspended'), 'suspended', 'The ServiceM8 account is suspended.'],
    [trouble('refused', { status: 404 }), 'not_found', 'ServiceM8 no longer has this job.'],
    [trouble('refused', { status: 400 }), 'invalid', 'ServiceM8 refused this job: "Their words"'],
    [trouble('unavailable'), 'unavailable', 'not answering as it should'],
    [trouble('rate_limited', { retryAt: 7 }), 'rate_limited', 'only so many calls a minute'],
    [trouble('rate_limited', { retryAt: 7, ofMessages: true }), 'rate_limited', 'own limit for messages'],
  ])('%j is of the class %s', (given, errorClass, words) => {
    const told = reportTrouble(given, 'this job')
    expect(told.errorClass).toBe(errorClass)
    expect(runReasonText(told.sentence)).toContain(words)
    expect(told.retryAt).toBe(given.retryAt ?? null)
  })

  it('names the permission that is missing', () => {
    const message = 'insufficient_scope: this call is outside of what the account agreed to, publish_sms scope required'
    const told = reportTrouble(trouble('forbidden', { message }), 'this text message')
    expect(told.errorClass).toBe('scope')
    expect(told.sentence).toMatchObject({ code: 'scope', params: { scope: 'publish_sms' } })
    expect(runReasonText(told.sentence)).toBe(
      'We may not do this in ServiceM8: the permission publish_sms is missing. Please click Reconnect in the Webhook Manager to give it.',
    )
  })

  it.each(['Forbidden', 'insufficient_scope'])('pauses nothing when none is named: %s', (message) => {
    expect(reportTrouble(trouble('forbidden', { message }), 'this text message')).toEqual({
      errorClass: 'invalid',
      sentence: `ServiceM8 refused this text message: "${message}". Reconnect in the Webhook Manager, then run it again.`,
      retryAt: null,
    })
  })

  it.each([
    ['insufficient_scope. read_job_queues scope required', 'read_job_queues'],
    ['Missing scope: manage_tasks', 'manage_tasks'],
    ['You need read_jobs for this', 'read_jobs'],
    ['insufficient_scope', null],
    ['Forbidden', null],
    ['', null],
  ])('finds it in %j', (message, scope) => {
    expect(missingScope(message)).toBe(scope)
  })

  it('keeps long words short and on one line', () => {
    const { sentence } = reportTrouble(trouble('refused', { status: 400, message: `a\n${'b'.repeat(900)}` }), 'it')
    expect(String(sentence).length).toBeLessThan(260)
    expect(sentence).not.toContain('\n')
  })
})
