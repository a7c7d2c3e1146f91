import { expect, test } from 'vitest'
import type { Execution } from '../runs/run-history.ts'
import { didText } from './run-now-text.ts'

function ran(steps: [action: string, ...states: string[]][], more: Partial<Execution> = {}): Execution {
  return {
    object: 'job',
    state: 'done',
    recordUuids: ['a'],
    triggerData: { conditionMatching: { totalRecords: 1, matchedRecords: [{ jobId: '3128', companyName: 'Joan' }] } },
    steps: steps.map(([action, ...states]) => ({ action, items: states.map((state) => ({ state })) })),
    ...more,
  } as Execution
}

test('what a run did is one sentence, counted from its own steps', () => {
  const one = ran([
    ['send_sms', 'sent', 'skipped'],
    ['create_task', 'sent'],
    ['create_job', 'sent', 'sent', 'sent'],
    ['update_job_status', 'failed'],
  ])
  expect(didText([one], 1)).toBe('Job 3128: 1 text sent, 1 task created, 1 job created.')
  expect(didText([ran([['update_job_status', 'sent']], { object: 'company' })], 1)).toBe('Joan: 1 change made.')
  expect(didText([ran([['send_email', 'failed']])], 1)).toBe('Job 3128: nothing done.')
})

test('several runs are counted together, and what is not known yet is not claimed', () => {
  const text = ran([['send_sms', 'sent']])
  expect(didText([text, text, text], 3)).toBe('3 jobs: 3 texts sent.')
  const failed = ran([['send_sms', 'failed']])
  expect(didText([text, failed, text], 3)).toBe('3 jobs: 2 texts sent, nothing for 1.')
  expect(didText([text, failed], 3)).toBe('3 jobs: 1 text sent so far.')
  expect(didText([text, text], 7)).toBe('7 jobs: 2 texts sent so far.')
  expect(didText([ran([['send_sms', 'planned']], { state: 'running' })], 1)).toBe('Job 3128: started.')
})
