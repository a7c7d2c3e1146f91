import { Form } from '@remix-run/react'
import { fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { keepForm, UNREACHED, useUnreached } from './unreached.tsx'

function press(serverAction: () => Promise<unknown>, body = new URLSearchParams({ act: 'save', hours: '9' })) {
  const request = new Request('https://x.example/', { method: 'POST', body })
  return keepForm({ request, serverAction } as unknown as Parameters<typeof keepForm>[0])
}

const offline = () => Promise.reject(new TypeError('Failed to fetch'))

test('a press that did not reach the server answers with what was sent, and what else went wrong stays so', async () => {
  const json = vi.spyOn(Response, 'json')
  const answer = (await press(offline)) as Response
  // Safari before 17 lacks it.
  expect(json).not.toHaveBeenCalled()
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({
    toast: { title: 'No connection' },
    result: { formError: UNREACHED, values: { act: 'save', hours: '9' } },
  })
  expect(await press(async () => 'saved')).toBe('saved')
  const redirect = new Response(null, { status: 303 })
  await expect(press(() => Promise.reject(redirect))).rejects.toBe(redirect)
  await expect(press(() => Promise.reject(new TypeError('x is undefined')))).rejects.toThrow('x is undefined')
})

test('an answer that nobody can read did not come, and a look in the background never replaces the page', async () => {
  const unread = new Error('Unable to decode turbo-stream response from URL: https://x.example/')
  const look = new URLSearchParams({ live: 'yes' })
  const answered = async (thrown: unknown, body?: URLSearchParams) => {
    const answer = (await press(() => Promise.reject(thrown), body)) as Response
    return [answer.status, (await answer.json()).unreached]
  }
  for (const body of [undefined, look]) expect(await answered(unread, body)).toEqual([503, true])
  // The server was there: nobody says that it was not.
  for (const thrown of [new Response(null, { status: 302 }), new Error('fault')])
    expect(await answered(thrown, look)).toEqual([503, false])
  await expect(press(() => Promise.reject(new Error('fault')))).rejects.toThrow('fault')
})

test('the form stays, with what was typed, and says so', async () => {
  function Page() {
    const lost = useUnreached()
    return (
      <Form method="post">
        <input aria-label="Hours" name="hours" />
        <button type="submit">Save</button>
        <p>{lost?.result.formError}</p>
      </Form>
    )
  }
  renderPage({ page: () => <Page />, action: () => press(offline) })
  fireEvent.input(await screen.findByLabelText('Hours'), { target: { value: '9' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(UNREACHED)
  expect(screen.getByLabelText<HTMLInputElement>('Hours').value).toBe('9')
})
