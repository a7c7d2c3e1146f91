import { fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { formAfter, stagedForm } from '#tests/support/rule-form-stage.tsx'
import { toBody } from '../form-body.ts'
import { problemsOf } from '../form-check.ts'
import { readForm } from '../form-wire.ts'

beforeAll(() => Promise.all([import('#app/ui/toast/toaster.tsx'), import('./live-preview.tsx')]))
// The preview asks for itself; nothing here is about its answer.
beforeEach(() => {
  vi.stubGlobal('fetch', async () => Response.json({ kind: 'trouble', message: 'Not now.' }))
})
afterEach(() => vi.unstubAllGlobals())

const TRIGGERS = {
  webhook: ['events=object:job', 'triggerType=job_status'],
  api_polling: ['triggerSource=api_polling'],
  manual_endpoint: ['triggerSource=manual_endpoint'],
}
const KINDS = Object.keys(TRIGGERS) as (keyof typeof TRIGGERS)[]
const ruleOf = (kind: keyof typeof TRIGGERS, ...more: string[]) =>
  formAfter(['name=Call back', ...TRIGGERS[kind], 'add_step:create_task', 's.s1.p.title=Ring', ...more])

const control = (label: string) => screen.getByLabelText<HTMLInputElement & HTMLSelectElement>(label)

describe.each(KINDS)('the schedule of a rule that starts by %s', (kind) => {
  it('asks for a date when it is scheduled, and is sent with it', async () => {
    const user = userEvent.setup()
    const sent: FormData[] = []
    renderPage({
      page: () => stagedForm(ruleOf(kind)),
      action: async ({ request }) => {
        sent.push(await request.formData())
        return null
      },
    })
    expect(screen.queryByLabelText('Schedule Date')).toBeNull()
    await user.selectOptions(control('Schedule Type'), 'scheduled')
    expect(screen.queryByLabelText('Recurrence')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Create Automation' }))
    await waitFor(() => expect(document.activeElement).toBe(control('Schedule Date')))
    expect(control('Schedule Date').getAttribute('aria-invalid')).toBe('true')
    const date = kind === 'api_polling' ? '2031-03-31' : '2031-03-31T10:30'
    fireEvent.change(control('Schedule Date'), { target: { value: date } })
    await user.click(screen.getByRole('button', { name: 'Create Automation' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(toBody(readForm(sent[0] ?? []))).toMatchObject({ scheduleType: 'scheduled', scheduleDate: date })
  })

  it('asks how often when it recurs: in a word, or as a cron line', async () => {
    const user = userEvent.setup()
    renderPage({ page: () => stagedForm(ruleOf(kind)) })
    await user.selectOptions(control('Schedule Type'), 'recurring')
    expect(screen.queryByLabelText('Schedule Date')).toBeNull()
    await user.selectOptions(control('Recurrence'), 'Every week')
    expect(control('Weekday').value).toBe('1')
    expect(control('Time of day').value).toBe('09:00')
    fireEvent.change(control('A cron line, for example 30 7 * * 1'), { target: { value: '30 7 * * 1' } })
    expect(control('Recurrence').value).toBe('30 7 * * 1')
    expect(screen.queryByLabelText('Weekday')).toBeNull()
  })

  it('without scripts has the error and the focus at the field that is drawn', () => {
    // The router of the test is one for browsers.
    expectNoise(/useLayoutEffect does nothing on the server/)
    const state = ruleOf(kind, 'scheduleType=scheduled')
    const html = renderToString(pageStub({ page: () => stagedForm(state, { errors: problemsOf(state) }) }))
    const [field] = html.match(/<input[^>]*name="scheduleDate"[^>]*>/) ?? []
    expect(field).toMatch(/aria-invalid="true"/)
    expect(field).toMatch(/autofocus/i)
    expect(html).toContain('Choose the date it starts on.')
  })
})

test('what cannot be read is told at the recurrence', () => {
  for (const kind of KINDS) {
    const state = ruleOf(kind, 'scheduleType=recurring', 'o.scheduleRecurrence=sometimes')
    expect(problemsOf(state)).toEqual({ scheduleRecurrence: [expect.stringContaining('cannot be read')] })
  }
})

test('a field that is not drawn keeps nobody from saving', () => {
  const state = ruleOf(
    'api_polling',
    'scheduleType=recurring',
    'o.scheduleRecurrence=sometimes',
    'scheduleType=immediate',
  )
  expect(problemsOf(state)).toEqual({})
})
