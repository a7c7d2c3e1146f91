import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, it } from 'vitest'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { SAMPLE_NOW } from '#tests/support/sample-views.ts'
import { LIBRARY } from '../library.ts'
import { missingErrors, type SheetView, sheetView } from '../sheet-view.ts'
import { sheetOf } from '../template-sheet.ts'
import { SHEET_TEXTS } from '../template-text.ts'
import { TemplateSheet } from './template-sheet.tsx'

function viewOf(id: number): SheetView {
  const found = LIBRARY.find((one) => one.id === id)
  if (!found) throw new Error(`no template ${id}`)
  const template = { overlap: null, ...found, isPublic: true, usageCount: 0, createdAt: null, updatedAt: null }
  return sheetView(template, sheetOf(found.definition, null, 'Alder & Finch'), null)
}

const REVIEW = viewOf(16)
const SEEN: Partial<SheetView> = {
  preview: {
    about: 'Job 3128 · Joan Hartley',
    skipped: null,
    messages: [
      {
        says: 'Text message to 0400 000 000',
        message: { channel: 'sms', subject: '', text: 'Thanks, Joan!' },
        place: 0,
      },
    ],
    others: [],
  },
}

afterEach(() => sessionStorage.clear())

type Answer = (intent: string, sheet: SheetView) => object | null | Promise<object>

function Page({ sheet }: { sheet: SheetView }) {
  return (
    <TemplateSheet
      account={{ accountUUID: 'account-1', admin: false }}
      accountName="Alder & Finch"
      timezone="Europe/London"
      now={SAMPLE_NOW}
      sheet={sheet}
    />
  )
}

/** Without scripts. */
function plain(over: Partial<SheetView>): Document {
  const html = renderToString(pageStub({ page: () => <Page sheet={{ ...REVIEW, ...SEEN, ...over }} /> }))
  return new DOMParser().parseFromString(html, 'text/html')
}

function draw(over: Partial<SheetView> = {}, answer: Answer = () => null) {
  const asked: string[] = []
  const sheet = { ...REVIEW, ...SEEN, ...over }
  renderPage({
    page: () => <Page sheet={sheet} />,
    routes: [
      {
        path: '/automation/templates/:id',
        action: async ({ request }) => {
          const intent = String((await request.formData()).get('intent'))
          asked.push(intent)
          const other = await answer(intent, sheet)
          if (other) return other
          const days = Array.from({ length: 30 }, (_, day) => (day === 3 ? 12 : 0))
          return { sheet: { ...sheet, lookBack: { texts: 12, emails: 0, runs: 12, days } } }
        },
      },
    ],
  })
  return asked
}

it('asks only for the blanks, shows the message for a real job, and can be turned on', () => {
  draw()
  expect(screen.getByLabelText<HTMLInputElement>('Business name').value).toBe('Alder & Finch')
  expect(screen.getByLabelText<HTMLInputElement>('Review link').value).toBe('')
  const preview = screen.getByRole('region', { name: 'Test with a real job' })
  expect(preview.textContent).toContain('Job 3128 · Joan Hartley. Nothing is sent.')
  within(preview).getByText('Thanks, Joan!')
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Turn on' })
  expect([button.type, button.name, button.value]).toEqual(['submit', 'intent', 'turn_on'])
  expect(button.form?.method).toBe('post')
})

it.each([
  [14, 'booking'],
  [22, 'booking'],
  [11, 'payment'],
  [19, 'job'],
])('names what template %i is tested with: a %s', (id, noun) => {
  draw(viewOf(id))
  screen.getByRole('region', { name: `Test with a real ${noun}` })
  screen.getByText(`Parts in {braces} fill in for each ${noun}.`)
})

it('tells by the words around it what an answer is about', () => {
  draw(viewOf(2))
  const field = screen.getByLabelText<HTMLInputElement>('30 days')
  const hint = document.getElementById(field.getAttribute('aria-describedby') ?? '')
  expect([field.value, hint?.textContent]).toEqual(['30 days', 'Our prices hold for …'])
})

it('keeps the number typed for a text to the own phone, and asks for none that is known', () => {
  draw({ phone: '12345' })
  expect(screen.getByLabelText<HTMLInputElement>('Your mobile number').value).toBe('12345')
  cleanup()
  draw({ phone: null })
  screen.getByRole('button', { name: 'Text this to my own phone' })
  expect(screen.queryByLabelText('Your mobile number')).toBeNull()
})

it('counts the last 30 days by itself, with a cell for each', async () => {
  const asked = draw()
  await waitFor(() => screen.getByText('Last 30 days: 12 texts.'))
  expect(asked).toEqual(['look_back'])
  const strip = screen.getByRole('img', { name: 'Last 30 days: 12 texts.' })
  expect(strip.outerHTML.length).toBeLessThan(1_024)
})

const YEARLY = viewOf(18)

it('counts them again for each other answer that they count by, and for no other field', async () => {
  let emails = 11
  const asked = draw(YEARLY, (intent, sheet) => {
    if (intent === 'look') return { sheet }
    return { sheet: { ...sheet, lookBack: { texts: 0, emails: emails++, runs: 12, days: null } } }
  })
  const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } })
  await screen.findByText('Last 30 days: 11 e-mails.')
  type('Service category', 'Boilers')
  type('Business phone', '01632')
  await screen.findByText('Last 30 days: 12 e-mails.', {}, { timeout: 3_000 })
  type('Business phone', '01632 960001')
  await waitFor(() => expect(asked).toEqual(['look_back', 'look', 'look_back', 'look']), { timeout: 3_000 })
  type('Service category', 'Drains')
  await waitFor(() => expect(asked.slice(4)).toEqual(['look', 'look_back']), { timeout: 3_000 })
})

it.each([
  ['did not come', { unreached: true }],
  ['has no number', { sheet: { ...YEARLY, trouble: SHEET_TEXTS.tooMany } }],
])('asks for the count with the next change when the last one %s, and shows no old one', async (_, lost) => {
  let counts = 0
  const asked = draw(YEARLY, (intent, sheet) => {
    if (intent === 'look') return { sheet }
    counts += 1
    if (counts === 2) return lost
    return { sheet: { ...sheet, lookBack: { texts: 0, emails: counts, runs: 12, days: null } } }
  })
  const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } })
  await screen.findByText('Last 30 days: 1 e-mail.')
  type('Service category', 'Boilers')
  await waitFor(() => expect(screen.queryByText('Last 30 days: 1 e-mail.')).toBeNull(), { timeout: 3_000 })
  type('Business phone', '01632')
  await screen.findByText('Last 30 days: 3 e-mails.', {}, { timeout: 3_000 })
  type('Business phone', '01632 960001')
  await waitFor(() => expect(asked.slice(3)).toEqual(['look', 'look_back', 'look']), { timeout: 3_000 })
})

it('counts them also for what is filled in before the first answer came', async () => {
  let answer = (_: object) => {}
  const early = new Promise<object>((resolve) => {
    answer = resolve
  })
  const asked = draw(YEARLY, () => (asked.length === 1 ? early : null))
  await waitFor(() => expect(asked).toEqual(['look_back']))
  fireEvent.input(screen.getByLabelText('Service category'), { target: { value: 'Boilers' } })
  const lookBack = { texts: 0, emails: 0, runs: 0, days: null, needs: ['‹Service category›'] }
  answer({ sheet: { ...YEARLY, lookBack } })
  await screen.findByText('Fill in ‹Service category› to see the last 30 days.')
  await screen.findByText('Last 30 days: 12 texts.', {}, { timeout: 3_000 })
})

it('says at each field what is missing, and that a preview is not there', () => {
  const found = LIBRARY.find((one) => one.id === 16)
  const errors = found ? missingErrors(sheetOf(found.definition, null, '')) : {}
  draw({ errors, preview: null, trouble: 'ServiceM8 did not answer.' })
  const field = screen.getByLabelText('Review link')
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field)
  const described = (field.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id))
  expect(described.map((one) => one?.textContent)).toContain('Fill this in.')
  screen.getByText('ServiceM8 did not answer.')
})

const type = (value: string) => fireEvent.input(screen.getByLabelText('Review link'), { target: { value } })
const typed = () => screen.getByLabelText<HTMLInputElement>('Review link').value

it.each([
  ['without network', { unreached: true }, 'No connection. The preview is old.'],
  ['after an error', { unreached: false }, 'The preview could not be made. It is old.'],
  ['without a session', { sheet: null, old: SHEET_TEXTS.signedOut }, 'Please sign in again. The preview is old.'],
])('keeps the page, what is typed and the last preview when a look does not come: %s', async (_, answer, says) => {
  draw({}, () => answer)
  type('https://example.com/review')
  await screen.findByText(says)
  screen.getByText('Thanks, Joan!')
  expect(typed()).toBe('https://example.com/review')
  screen.getByRole('button', { name: 'Turn on' })
})

it('keeps in the tab what is typed, also into a message, until it is used', async () => {
  draw()
  const message = () => document.querySelector<HTMLTextAreaElement>('textarea')
  type('https://example.com/review')
  fireEvent.input(message() as HTMLElement, { target: { value: 'Thank you! [[Review link]]' } })
  cleanup()
  draw()
  await waitFor(() => expect(typed()).toBe('https://example.com/review'))
  expect(message()?.value).toBe('Thank you! [[Review link]]')
  expect(message()?.closest('details')?.open).toBe(true)
  cleanup()
  draw({ id: 17 })
  expect(typed()).toBe('')
})

it('comes back without scripts where the answer is: at the first wrong field, or at the preview', () => {
  expectNoise(/useLayoutEffect does nothing on the server/)
  const name = REVIEW.texts[0]?.name ?? ''
  const wrong = plain({ errors: { [name]: ['{nobody} is no placeholder.'] } })
  expect([...wrong.querySelectorAll('[autofocus]')].map((one) => one.getAttribute('name'))).toEqual([name])
  const blank = plain({ errors: { 'blank.Review link': ['Fill this in.'], [name]: ['Too long.'] } })
  expect([...blank.querySelectorAll('[autofocus]')].map((one) => one.getAttribute('name'))).toEqual([
    'blank.Review link',
  ])
  const to = '/automation/templates/16?accountUUID=account-1#sheet-preview'
  for (const intent of ['look', 'look_back', 'text_me:0'])
    expect(blank.querySelector(`button[value="${intent}"]`)?.getAttribute('formaction')).toBe(to)
  expect(blank.getElementById('sheet-preview')?.textContent).toBe('Test with a real job')
})

it('is ready to turn on only while nothing is wrong', () => {
  draw({ blanks: [] })
  screen.getByText('Ready to turn on.')
  cleanup()
  draw({ blanks: [], errors: { 'text.s1.message': ['Too long.'] } })
  expect(screen.queryByText('Ready to turn on.')).toBeNull()
})
