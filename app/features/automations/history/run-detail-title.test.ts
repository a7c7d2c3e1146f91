import { expect, test } from 'vitest'
import { runTitle } from './run-detail-view.ts'
import type { RunLine } from './run-list-view.ts'

type Deed = Parameters<typeof runTitle>[1][number]

const line = (more: Partial<RunLine>): RunLine => ({
  ...{ id: 4, ruleId: 2, ruleName: 'Thanks', job: 'Job 3128', customer: 'Joan Hartley', standing: 'success' },
  ...{ needsYou: false, happened: '', because: '', at: 0, startedAt: null, goesOnAt: null, receipt: null },
  ...more,
})
const deed = (action: string, state: Deed['state'], to = ''): Deed => ({ action, state, to })
const TEXT = deed('send_sms', 'sent', 'Joan Hartley')
const TASK = deed('create_task', 'sent')

test.each([
  [{}, [TEXT], 'Texted Joan Hartley · job 3128'],
  [{}, [TEXT, TASK], 'Texted Joan Hartley and created a task · job 3128'],
  [{}, [TEXT, TASK, deed('create_job', 'sent')], 'Texted Joan Hartley, created a task and 1 more step · job 3128'],
  [
    {},
    [TEXT, TASK, TASK, deed('create_job', 'sent'), deed('create_job', 'sent')],
    'Texted Joan Hartley, created a task and 3 more steps · job 3128',
  ],
  [{}, [TASK], 'Created a task · Joan Hartley · job 3128'],
  [{ customer: '' }, [deed('send_sms', 'sent', '+44770')], 'Texted +44770 · job 3128'],
  [
    { standing: 'partial' },
    [TEXT, deed('create_task', 'failed')],
    'Texted Joan Hartley, could not create a task · job 3128',
  ],
  [{ standing: 'failure' }, [deed('send_email', 'failed', 'Joan Hartley')], 'Could not e-mail Joan Hartley · job 3128'],
  [{ standing: 'unknown' }, [deed('send_sms', 'unknown', 'Joan Hartley')], 'May have texted Joan Hartley · job 3128'],
  [{ standing: 'held' }, [deed('send_sms', 'held', 'Joan Hartley')], 'Waits for you to text Joan Hartley · job 3128'],
  [{ standing: 'waiting', customer: '' }, [deed('send_sms', 'not_begun')], 'Waits to text the customer · job 3128'],
  [{ standing: 'nothing', job: '3 jobs', customer: '' }, [deed('create_task', 'skipped')], 'Nothing to do · 3 jobs'],
  [
    { standing: 'nothing', customer: '' },
    [{ ...deed('update_job_field', 'skipped'), isEmpty: true }, deed('send_sms', 'skipped')],
    'Left out: a value is empty · job 3128',
  ],
  [{ standing: 'failure', customer: '' }, [], 'Nothing done · job 3128'],
  [{ customer: '' }, [deed('fly', 'sent')], 'Did "fly" · job 3128'],
] as const)('%j', (more, deeds, title) => {
  expect(runTitle(line(more), deeds)).toBe(title)
})
