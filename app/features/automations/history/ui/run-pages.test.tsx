// Long: each page of the history, in each of its states.
import { useLoaderData, useRevalidator } from '@remix-run/react'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactElement } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { RUNS_PATH } from '#app/domain/automations/history-address.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { Announcer } from '#app/ui/announcer.tsx'
import { anEffect, aRow, NOW } from '#tests/support/journal-rows.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_RULE, SENT_TEXT, sampleRun } from '#tests/support/sample-runs.ts'
import type { WhyView } from '../../preview/verdict-view.ts'
import { executionOf } from '../../runs/run-history.ts'
import { type HistoryForm, historyFormOf } from '../history-form.ts'
import { type Repeatable, runView } from '../run-detail-view.ts'
import { runLine } from '../run-list-view.ts'
import type { HistoryFrameProps } from './history-frame.tsx'
import { HistoryPage, type HistoryPageProps } from './history-page.tsx'
import { RunPage } from './run-page.tsx'
import { UpcomingPage } from './upcoming-page.tsx'
import { WhyPage, type WhyPageProps } from './why-page.tsx'

const FRAME: HistoryFrameProps = {
  account: { accountUUID: 'account-1', admin: true },
  accountName: 'Leeds Electrical',
  timezone: 'Europe/London',
  now: NOW + hours(1),
  needsYou: 3,
}
const ACCOUNT = 'accountUUID=account-1&admin=yes'
const EMPTY: HistoryForm = historyFormOf(new URLSearchParams())
const REPEATABLE: Repeatable = {
  ...{ version: 3, customerMessages: 1, today: SAMPLE_RULE },
  rule: { version: 4, deleted: false, definition: SAMPLE_RULE },
}

const lineOf = (more: Partial<RunRecord> = {}) => runLine(executionOf(sampleRun(more)))

type Sent = Record<string, string>[]

/** What the page's forms post is written down. */
function draw(page: () => ReactElement, sent: Sent = []) {
  return renderPage({
    at: `/?${ACCOUNT}`,
    page,
    action: async ({ request }) => {
      sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
}

const QUIET = {
  errors: {},
  next: null,
  isOlder: false,
  rules: [{ id: 2, name: 'Quote check-in' }],
  held: 0,
  answers: [],
  moreAnswers: false,
  listening: null,
}

function drawHistory(over: Partial<HistoryPageProps> = {}, sent: Sent = []) {
  return draw(() => <HistoryPage {...FRAME} {...QUIET} form={EMPTY} lines={[lineOf()]} {...over} />, sent)
}

const hrefOf = (name: string | RegExp) => screen.getByRole('link', { name }).getAttribute('href')

async function press(name: string | RegExp, sent: Sent) {
  screen.getByRole('button', { name }).click()
  await waitFor(() => expect(sent).toHaveLength(1))
  return sent[0]
}

describe('what customers received and answered', () => {
  const ANSWER = { id: 7, customer: 'Joan Hartley', job: 'Job 4411', channel: 'sms', words: 'Please ring me' } as const

  it('shows the words with Go on and Stop', async () => {
    const sent: Sent = []
    drawHistory({ answers: [{ ...ANSWER, writtenAt: FRAME.now }], moreAnswers: true }, sent)
    screen.getByText('Decide these first: older answers follow.')
    expect(screen.getByRole('list', { name: 'Customers answered' }).textContent).toContain('Please ring me')
    screen.getByRole('button', { name: 'Stop: Job 4411 · Joan Hartley' })
    expect(await press('Go on: Job 4411 · Joan Hartley', sent)).toMatchObject({ act: 'answer_go_on', answer: '7' })
  })

  it('offers Reconnect where messages may not be read', () => {
    drawHistory({ listening: 'refused' })
    screen.getByText('Reconnect to see receipts and answers.')
    screen.getByRole('link', { name: /^Reconnect/ })
  })

  it('says what became of a message', () => {
    const receipt = {
      state: 'missing',
      words: 'Not confirmed after 30 minutes',
      at: null,
      lookedAt: FRAME.now,
    } as const
    drawHistory({ lines: [{ ...lineOf(), receipt }] })
    expect(screen.getByText(/^Not confirmed after 30 minutes/).textContent).toMatch(/, checked \d/)
  })
})

describe('the history', () => {
  it('says job and customer first, then what happened and what set it off', () => {
    drawHistory()
    const line = within(screen.getByRole('list', { name: 'Runs Today 1 run' })).getByRole('listitem')
    expect(line.textContent).toMatch(/^Job 4411 · Margaret Smith · Quote check-inText message\.Quote check-in/)
    expect(line.textContent).toContain('Success')
    expect(hrefOf('Job 4411 · Margaret Smith · Quote check-in')).toBe(`/automation/runs/4?${ACCOUNT}`)
  })

  it('says when one that waited started', () => {
    drawHistory({ lines: [lineOf({ createdAt: NOW - minutes(4), startedAt: NOW })] })
    expect(screen.getByRole('list', { name: /^Runs Today/ }).textContent).toContain(
      'Quote check-in · started 09:00Success08:56',
    )
  })

  it('groups the runs by day, with their number', () => {
    const old = { ...lineOf(), id: 3, at: NOW - hours(20), standing: 'failure' } as const
    drawHistory({ lines: [lineOf(), old] })
    const days = screen.getAllByRole('heading', { level: 3 }).map((day) => day.textContent)
    expect(days).toEqual(['Today 1 run', 'Yesterday 1 run · 1 failed'])
    expect(within(screen.getByRole('list', { name: /^Runs Yesterday/ })).getAllByRole('listitem')).toHaveLength(1)
  })

  it('leads to what needs a person, what comes next, and why something did not happen', () => {
    drawHistory()
    expect(hrefOf('Needs you (3)')).toBe(`/automation/runs?${ACCOUNT}&status=needs_you`)
    expect(hrefOf('Upcoming')).toBe(`/automation/runs?${ACCOUNT}&view=upcoming`)
    expect(hrefOf('Why did this job not fire?')).toBe(`/automation/runs?${ACCOUNT}&view=why`)
    expect(hrefOf('Back to automations')).toBe(`/automation?${ACCOUNT}`)
    expect(screen.getByRole('link', { name: 'All runs' }).getAttribute('aria-current')).toBe('page')
  })

  /** With the form asking at its own address. */
  function drawSearched({ needsYou = 0, pages = false } = {}) {
    let reads = 0
    const loader = ({ request }: { request: Request }) => ({ asked: new URL(request.url).search, read: ++reads })
    function Searched() {
      const { revalidate } = useRevalidator()
      const { asked, read } = useLoaderData<typeof loader>()
      const query = new URLSearchParams(asked)
      const form = historyFormOf(query)
      const before = query.get('before')
      const next = before === '5' ? null : before === '7' ? 5 : 7
      const isEmpty = form.text === 'nobody' || (form.status === 'needs_you' && needsYou === 0)
      const frame = { ...FRAME, ...QUIET, needsYou, isOlder: before !== null, next: pages ? next : null }
      return (
        <>
          <HistoryPage {...frame} form={form} lines={isEmpty ? [] : [lineOf()]} />
          <button type="button" onClick={revalidate}>
            Read {read}
          </button>
        </>
      )
    }
    const page = {
      id: 'runs',
      path: RUNS_PATH,
      loader,
      Component: () => (
        <Announcer>
          <Searched />
        </Announcer>
      ),
    }
    renderPage({ at: `${RUNS_PATH}?${ACCOUNT}`, page: () => <p />, routes: [page] })
  }

  const said = (sentence: string) => screen.findByText(sentence, { selector: '.sr-only[aria-live] > *' })

  it('keeps the focus in the search, and says how many runs it found', async () => {
    drawSearched()
    const box = await screen.findByRole('searchbox', { name: 'Search' })
    const user = userEvent.setup()
    await user.type(box, 'Smith{Enter}')
    await said('1 run.')
    await user.clear(box)
    await user.type(box, 'nobody{Enter}')
    await said('No run fits.')
    expect(document.activeElement).toBe(box)
  })

  it('shows what an address asks after a search that changed nothing, and announces what it shows', async () => {
    drawSearched()
    const user = userEvent.setup()
    const status = () => screen.getByLabelText<HTMLSelectElement>('Status').value
    await user.click(await screen.findByRole('button', { name: 'Find' }))
    await user.click(screen.getByRole('link', { name: /^Needs you/ }))
    await waitFor(() => expect(status()).toBe('needs_you'))
    await said('Nothing needs you.')
    await user.click(screen.getByRole('link', { name: 'All runs' }))
    await waitFor(() => expect(status()).toBe(''))
    await said('All runs. 1 run.')
  })

  it('announces the tab with its number, and each older page, and nothing when the same page is read again', async () => {
    drawSearched({ needsYou: 1, pages: true })
    const user = userEvent.setup()
    const go = async (name: string | RegExp) => user.click(await screen.findByRole('link', { name }))
    await go(/^Needs you/)
    await said('1 run needs you, and older ones.')
    await go('Older')
    await said('Older runs. 1 run needs you, and older ones.')
    await go('Older')
    const last = await said('Older runs. 1 run needs you.')
    const reads = Number(screen.getByRole('button', { name: /^Read/ }).textContent?.slice(5))
    await user.click(screen.getByRole('button', { name: `Read ${reads}` }))
    await screen.findByRole('button', { name: `Read ${reads + 1}` })
    expect(await said('Older runs. 1 run needs you.')).toBe(last)
    await go('Newest')
    await said('1 run needs you, and older ones.')
  })

  it('asks by its address, and keeps the account and what was typed', () => {
    drawHistory({ form: { ...EMPTY, text: 'Smith', rule: '2', status: 'failure', from: '2026-01-01' } })
    const form = screen.getByRole<HTMLFormElement>('search', { name: 'Runs' })
    expect([form.method, form.getAttribute('action')]).toEqual(['get', '/automation/runs'])
    expect(Object.fromEntries(new FormData(form))).toEqual({
      accountUUID: 'account-1',
      admin: 'yes',
      ...EMPTY,
      text: 'Smith',
      rule: '2',
      status: 'failure',
      from: '2026-01-01',
    })
  })

  it('says at the field what cannot be read', () => {
    drawHistory({ errors: { from: ['Must be a date, like 2026-11-21.'] }, lines: null })
    const field = screen.getByLabelText('From day')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('Must be a date, like 2026-11-21.').closest('details')?.open).toBe(true)
  })

  it('goes on to older ones with the same question', () => {
    drawHistory({ form: { ...EMPTY, status: 'failure' }, next: 4 })
    expect(screen.getByRole('heading', { level: 3 }).textContent).toBe('Today 1 run on this page')
    expect(hrefOf('Older')).toBe(`/automation/runs?${ACCOUNT}&status=failure&before=4`)
  })

  it('says on an older page too that it counts the runs of the page', () => {
    drawHistory({ isOlder: true })
    expect(screen.getByRole('heading', { level: 3 }).textContent).toBe('Today 1 run on this page')
  })

  it.each([
    [EMPTY, false, 'Nothing has run yet'],
    [{ ...EMPTY, status: 'needs_you' }, false, 'Nothing needs you'],
    [{ ...EMPTY, text: 'x' }, false, 'No run fits'],
    [EMPTY, true, 'No older runs'],
  ])('says why it is empty', (form, isOlder, words) => {
    drawHistory({ form, isOlder, lines: [] })
    expect(screen.getByText(words).textContent).toBe(words)
  })

  it('lets go or discards everything that the chosen rule holds', async () => {
    const sent: Sent = []
    drawHistory({ form: { ...EMPTY, rule: '2' }, held: 3 }, sent)
    expect(await press('Send all', sent)).toEqual({ act: 'release_all', rule: '2' })
  })

  it.each([
    { text: 'Smith' },
    { from: '2026-01-01' },
    { record: 'job-1' },
    { status: 'failure' },
    { status: 'success' },
  ])('offers that for no part of them', (more) => {
    drawHistory({ form: { ...EMPTY, rule: '2', status: 'held', ...more }, held: 14 })
    expect(screen.queryByRole('button', { name: /all$/ })).toBeNull()
    expect(screen.getByText(/in all/).textContent).toBe('14 runs of this automation wait in all.')
    expect(hrefOf('Show all that wait')).toBe(`/automation/runs?${ACCOUNT}&rule=2&status=needs_you`)
  })
})

describe('one run', () => {
  function drawRun(more: Partial<RunRecord> = {}, sent: Sent = []) {
    const run = runView(executionOf(sampleRun(more)), REPEATABLE, null)
    return draw(() => <RunPage {...FRAME} run={run} />, sent)
  }

  it('is headed by what happened, to whom and why', () => {
    drawRun()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(
      'Texted +447700900123 · Margaret Smith · job 4411',
    )
    const line = screen.getByText('Success').closest('p')
    expect(line?.textContent).toMatch(/^SuccessQuote check-in · .+ · Status: "Quote" → "Completed"$/)
  })

  it('says in a box what did not go well', () => {
    drawRun({ state: 'held', outcome: null, reason: 'Asks you.', journal: [] })
    expect(screen.getByText('Waits for you.').parentElement?.textContent).toBe('Waits for you. Asks you.')
  })

  it('shows the message as it was sent, and no id outside the technical part', () => {
    drawRun()
    expect(screen.getByRole('figure').textContent).toBe('Text messageHello')
    const uuid = screen.getByText(/^11111111-/)
    expect(uuid.closest('details')?.open).toBe(false)
    expect(uuid.closest('details')?.textContent).toMatch(/^Technical.*version 3/)
  })

  it('that is at work shows within a few seconds how it goes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    try {
      const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
      const loadsOf = async (more: Partial<RunRecord>) => {
        let loads = 0
        const run = runView(executionOf(sampleRun(more)), REPEATABLE, null)
        const loader = () => {
          loads += 1
          return null
        }
        const page = renderPage({ at: `/?${ACCOUNT}`, page: () => <RunPage {...FRAME} run={run} />, loader })
        await pass(0)
        const before = loads
        await pass(6_500)
        page.unmount()
        return loads - before
      }
      expect(await loadsOf({ state: 'running', outcome: null, endedAt: null })).toBe(2)
      expect(await loadsOf({})).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('shows each step with what went in, what came out and its attempts', () => {
    drawRun()
    const points = within(screen.getByRole('list', { name: 'Steps' })).getAllByRole('heading', { level: 3 })
    expect(points.map((point) => point.textContent)).toEqual([
      'Trigger: ServiceM8',
      '1. Send SMS Done',
      '2. Create Task',
    ])
    const details = screen.getByText('Details').closest('details')
    expect(details?.open).toBe(false)
    for (const part of ['+447700900123', 'sms_id', 'Sent after 5 ms', 'Parameters'])
      expect(details?.textContent).toContain(part)
    expect(screen.getByText('Matched records: 1 of 1').closest('details')?.textContent).toContain('Margaret Smith')
    expect(screen.getByText('Not started').closest('li')?.textContent).toContain('2. Create Task')
  })

  it('says of each button what it will send again before it is pressed', async () => {
    const sent: Sent = []
    drawRun({}, sent)
    const all = screen.getByText('Run again…').closest('details')
    expect(all?.textContent).toContain('1 message to customers will be sent again.')
    expect(screen.getByText('Run again as it is today…').closest('details')?.textContent).toContain('instead of 3')
    expect(await press('Run all again', sent)).toEqual({ act: 'all_again', run: '4' })
  })

  it('has the button to run again on the failed step', async () => {
    const failed = aRow({ stepId: 's2', effect: anEffect('create'), state: 'failed', sentence: 'No permission.' })
    const sent: Sent = []
    drawRun({ outcome: 'partial', journal: [SENT_TEXT, failed] }, sent)
    const button = screen.getByRole('button', { name: 'Try this step again: Create Task' })
    expect(button.closest('li')?.textContent).toContain('2. Create Task')
    expect(button.closest('li')?.textContent).toContain('Nothing is done twice.')
    expect(screen.queryByRole('button', { name: 'Run failed steps again' })).toBeNull()
    expect(await press('Try this step again: Create Task', sent)).toEqual({ act: 'failed_again', run: '4' })
  })

  it('asks what became of a message that may have been sent', async () => {
    const unknown = aRow({ state: 'unknown', sentence: 'It may have been sent.' })
    const sent: Sent = []
    drawRun({ outcome: 'failure', journal: [unknown] }, sent)
    expect(screen.getByRole('button', { name: 'Send it: Text message' }).textContent).toBe('Send it')
    expect(await press('It went out: Text message', sent)).toEqual({ act: 'went_out', run: '4', step: 's1', item: '0' })
  })

  it('that waits for a person is sent or discarded', async () => {
    const sent: Sent = []
    drawRun({ state: 'held', outcome: null, reason: 'Asks you.', journal: [] }, sent)
    expect(screen.getByRole('button', { name: 'Discard' }).textContent).toBe('Discard')
    expect(await press('Send it', sent)).toEqual({ act: 'release', run: '4' })
  })
})

describe('what comes next', () => {
  it('lists what waits with cancel, and the next looks', async () => {
    const sent: Sent = []
    const line = lineOf({
      state: 'waiting',
      outcome: null,
      reason: 'Quiet hours.',
      wakeAt: NOW + hours(9),
      journal: [],
    })
    draw(
      () => (
        <UpcomingPage
          {...FRAME}
          runs={[line]}
          next={4}
          isLater
          looks={[
            { ruleId: 2, name: 'Reminder', schedule: 'Every day at 10:00', at: NOW + hours(2), pausedReason: null },
          ]}
        />
      ),
      sent,
    )
    expect(screen.getByText('Every day at 10:00').textContent).toBe('Every day at 10:00')
    expect(hrefOf(/^Change or switch off/)).toBe(`/automation?${ACCOUNT}#automation-2`)
    expect(hrefOf('Soonest')).toBe(`/automation/runs?${ACCOUNT}&view=upcoming`)
    expect(hrefOf('Later')).toBe(`/automation/runs?${ACCOUNT}&view=upcoming&after=4`)
    const cancel = 'Cancel the run of Quote check-in for Job 4411'
    expect(await press(cancel, sent)).toEqual({ act: 'cancel', run: '4' })
  })

  it('says so when nothing does', () => {
    draw(() => <UpcomingPage {...FRAME} runs={[]} next={null} isLater={false} looks={[]} />)
    expect(screen.queryByRole('navigation', { name: 'Pages of upcoming runs' })).toBeNull()
    expect(screen.getByText('Nothing scheduled').textContent).toBe('Nothing scheduled')
  })
})

describe('why did this job not fire', () => {
  const RULE: WhyView = {
    ruleId: 2,
    name: 'Quote check-in',
    sentence: { when: 'When a job changes', onlyIf: 'its status is Completed', does: 'text the customer' },
    standing: 'not_met',
    words: ['When it looked, these conditions were not met.'],
    failed: ['"Status" is Quote. The automation needs: its status is Completed.'],
    at: NOW + minutes(30),
    runId: 12,
    nextAt: null,
  }

  function drawWhy(over: Partial<WhyPageProps> = {}) {
    return draw(() => <WhyPage {...FRAME} asked="" answer={null} {...over} />)
  }

  it('asks for a job by address', () => {
    drawWhy()
    const form = screen.getByRole('button', { name: 'Explain' }).closest('form')
    expect([form?.method, form?.getAttribute('action')]).toEqual(['get', '/automation/runs'])
    expect(Object.fromEntries(new FormData(form ?? undefined))).toMatchObject({ view: 'why', job: '' })
  })

  it('says of every automation what it made of the job, with the condition that failed', () => {
    const answer = {
      outcome: 'answered',
      recordUuid: 'job-1',
      isJob: true,
      title: 'Job 4411',
      about: 'Margaret Smith',
      trouble: null,
      rules: [RULE],
      others: 2,
      customers: [],
    } as const
    drawWhy({ asked: '4411', answer: { ...answer, rules: [RULE], customers: [] } })
    const rule = within(screen.getByRole('list', { name: 'Job 4411' })).getAllByRole('listitem')[0]
    expect(rule?.textContent).toContain('Conditions not met')
    expect(rule?.textContent).toContain('When a job changes, only if its status is Completed, then text the customer.')
    expect(rule?.textContent).toContain('"Status" is Quote.')
    expect(rule?.textContent).toContain('30 minutes ago')
    expect(hrefOf('See what it did · Quote check-in')).toBe(`/automation/runs/12?${ACCOUNT}`)
    expect(hrefOf('All its runs')).toBe(`/automation/runs?${ACCOUNT}&record=job-1`)
    const others = screen.getByText(/2 more automations are/)
    expect(others.textContent).toContain('other records')
    const all = screen.getByRole('link', { name: 'All its runs' }).getAttribute('href')
    expect(within(others).getByRole('link', { name: 'See all runs of this job.' }).getAttribute('href')).toBe(all)
    cleanup()
    drawWhy({ answer: { ...answer, isJob: false, rules: [RULE], customers: [] } })
    expect(screen.getByText(/2 more automations are/).textContent).not.toContain('id of one')
    expect(hrefOf('See all runs of this record.')).toBe(all)
    expect(screen.queryByText(/of this job/)).toBeNull()
  })

  it('says at the field when there is no such job', () => {
    drawWhy({ asked: '99', answer: { outcome: 'refused', message: 'There is no job 99 in ServiceM8.' } })
    expect(screen.getByLabelText('Job number').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText('There is no job 99 in ServiceM8.').textContent).toContain('99')
  })
})
