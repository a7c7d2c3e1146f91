import { Form, useActionData } from '@remix-run/react'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useRef } from 'react'
import { expect, test } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { UnsavedChanges } from './unsaved-changes.tsx'

function Settings() {
  const form = useRef<HTMLFormElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const answered = useActionData<{ refused: boolean; times: number }>()
  return (
    <Form ref={form} method="post">
      <input aria-label="Hours" name="hours" />
      <UnsavedChanges form={form} returnTo={button} saved="8" refused={answered?.refused ?? false} />
      <p>Answers: {answered?.times ?? 0}</p>
      <button ref={button} type="submit">
        Save
      </button>
    </Form>
  )
}

test('another press on the page changes nothing of what is typed and not saved', async () => {
  const Page = () => (
    <>
      <Settings />
      <Form method="post">
        <button type="submit">Allow again</button>
      </Form>
    </>
  )
  let times = 0
  renderPage({ page: () => <Page />, action: () => ({ refused: false, times: ++times }) })
  fireEvent.input(await screen.findByLabelText('Hours'), { target: { value: '9' } })
  fireEvent.click(screen.getByRole('button', { name: 'Allow again' }))
  await screen.findByText('Answers: 1')
  screen.getByText('Changes not saved')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Answers: 2')
  await waitFor(() => expect(screen.queryByText('Changes not saved')).toBeNull())
})

test('what is refused stays unsaved, also when it is refused a second time', async () => {
  let times = 0
  const action = () => {
    times += 1
    return { refused: times < 3, times }
  }
  renderPage({ page: () => <Settings />, action })
  const note = () => screen.getByText(/Answers/).previousElementSibling?.textContent
  fireEvent.input(await screen.findByLabelText('Hours'), { target: { value: '99' } })
  expect(note()).toBe('Changes not saved')
  for (const time of [1, 2]) {
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText(`Answers: ${time}`)
    await waitFor(() => expect(note()).toBe('Changes not saved'))
  }
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText('Answers: 3')
  await waitFor(() => expect(note()).toBe(''))
})

test('while it is being sent it is not saved yet', async () => {
  let answer = () => {}
  const action = () => new Promise<object>((done) => (answer = () => done({ refused: false, times: 1 })))
  renderPage({ page: () => <Settings />, action })
  fireEvent.input(await screen.findByLabelText('Hours'), { target: { value: '9' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  screen.getByText('Changes not saved')
  answer()
  await screen.findByText('Answers: 1')
  await waitFor(() => expect(screen.queryByText('Changes not saved')).toBeNull())
})
