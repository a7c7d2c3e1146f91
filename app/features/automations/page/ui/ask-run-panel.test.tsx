import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleCard, samplePreview } from '#tests/support/sample-rules.ts'
import { SAMPLE_NOW } from '#tests/support/sample-views.ts'
import type { AskedRun } from '../../preview/ask-run.ts'
import { RuleCard } from './rule-card.tsx'
import { RepeatNotice } from './rule-notices.tsx'

const ACCOUNT = { accountUUID: 'account-1', admin: false }

async function open(over: Partial<AskedRun> = {}) {
  const sent: Record<string, string>[] = []
  const asked: AskedRun = {
    about: 'Job 4411 · Margaret Smith',
    handled: null,
    note: null,
    runs: [
      {
        preview: samplePreview(),
        got: [{ to: '+61400000001', at: SAMPLE_NOW, channel: 'sms', automationName: 'Thank the customer', runId: 6 }],
      },
    ],
    more: 0,
    choices: [{ uuid: 'job-2', label: 'Job 4410 · Joan Hartley', matches: false }],
    search: '',
    values: { confirmed: 'yes', seen: 'what-was-shown', recordUuid: 'job-1' },
    ...over,
  }
  const result = { kind: 'ask_run', ruleId: 3, name: 'Thank the customer', asked } as const
  renderPage({
    page: () => (
      <RuleCard
        rights={{ refusal: null, owners: [] }}
        rule={sampleCard()}
        account={ACCOUNT}
        step={{ step: 'none' }}
        result={result}
      />
    ),
    action: async ({ request }) => {
      const form = await request.formData()
      sent.push(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
      return null
    },
  })
  const name = asked.values === null ? 'Which record?' : 'Run for Job 4411 · Margaret Smith?'
  const panel = within(await screen.findByRole('region', { name }))
  return { sent, panel, user: userEvent.setup() }
}

test('shows whom it writes to, the text and what they got, and sends what was shown', async () => {
  const { sent, panel, user } = await open()
  for (const text of ['Thank you, Margaret!', /^Text message to \+61400000001/, 'Once per job', 'They already got:'])
    panel.getByText(text)
  panel.getByText(/a text to \+61400000001 from “Thank the customer”/)
  await user.click(panel.getByRole('button', { name: 'Run for real' }))
  await waitFor(() => expect(sent).toHaveLength(1))
  expect(sent[0]).toMatchObject({
    act: 'run',
    id: '3',
    confirmed: 'yes',
    seen: 'what-was-shown',
    recordUuid: 'job-1',
    accountUUID: 'account-1',
  })
})

test('another record is chosen from the list or found, and asked about again', async () => {
  const { sent, panel, user } = await open()
  await user.click(panel.getByText('Choose another record'))
  await user.click(panel.getByRole('button', { name: 'Job 4410 · Joan Hartley (conditions not met)' }))
  await waitFor(() => expect(sent).toHaveLength(1))
  await user.type(panel.getByLabelText('Job number or customer'), 'Joan')
  await user.click(panel.getByRole('button', { name: 'Find' }))
  await waitFor(() => expect(sent).toHaveLength(2))
  expect(sent).toMatchObject([
    { act: 'run', id: '3', recordUuid: 'job-2' },
    { act: 'run', id: '3', search: 'Joan' },
  ])
  for (const one of sent) expect(one).not.toHaveProperty('confirmed')
})

test('names the record once, in the heading, and tells a rewritten number as no warning', async () => {
  const { panel } = await open()
  expect(panel.getAllByText(/Job 4411 · Margaret Smith/)).toHaveLength(1)
  const note = panel.getByText('"0400 000 001" is written as +61400000001.')
  expect(note.className).toContain('text-ink-soft')
  expect(panel.getByText('{job_address} is empty on this job.').closest('.text-attention')).not.toBeNull()
  expect(note.closest('.text-attention')).toBeNull()
})

test('offers nothing to run when the search found nothing, and asks for another record', async () => {
  const { panel, sent, user } = await open({
    about: '',
    note: 'Nothing was found for “99”.',
    runs: [],
    search: '99',
    values: null,
  })
  panel.getByText('Nothing was found for “99”.')
  expect(panel.queryByRole('button', { name: 'Run for real' })).toBeNull()
  await user.click(panel.getByRole('button', { name: /^Job 4410/ }))
  await waitFor(() => expect(sent).toMatchObject([{ act: 'run', recordUuid: 'job-2' }]))
})

test('says why the rule would leave it alone, what changed, and how many more there are', async () => {
  const { panel } = await open({ handled: 'Already ran for this job.', note: 'Check them again.', more: 2 })
  panel.getByText('Already ran for this job. Run it again?')
  panel.getByText('Check them again.')
  panel.getByText('And 2 more runs, each with texts of its own.')
})

test('the notice about rules from before names them and can be dismissed', async () => {
  const sent: FormData[] = []
  renderPage({
    page: () => <RepeatNotice names={['Text when done', 'Chase']} account={ACCOUNT} />,
    action: async ({ request }) => {
      sent.push(await request.formData())
      return null
    },
  })
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Text when done', 'Chase'])
  await userEvent.setup().click(screen.getByRole('button', { name: 'Dismiss' }))
  await waitFor(() => expect(sent[0]?.get('act')).toBe('repeats_told'))
})
