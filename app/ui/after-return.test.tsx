import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { useFreshAfterReturn } from './after-return.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function Page() {
  useFreshAfterReturn()
  return <input aria-label="Name" />
}

/** A page that was opened in one of the ways a browser knows; gives how often it asked the server since. */
async function opened(type: string) {
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type }] as unknown as PerformanceEntryList)
  const loader = vi.fn(() => null)
  renderPage({ page: () => <Page />, loader })
  const field = await screen.findByLabelText<HTMLInputElement>('Name')
  return { asked: () => loader.mock.calls.length, field }
}

const comesBack = (persisted: boolean) =>
  act(async () => {
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  })

test('a page that comes back as it was left asks again, and keeps what was typed', async () => {
  const { asked, field } = await opened('navigate')
  const before = asked()
  field.value = 'half a name'
  await comesBack(false)
  expect(asked()).toBe(before)
  await comesBack(true)
  expect(asked()).toBe(before + 1)
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('half a name')
})

test('a page that Back took out of the cache asks again too', async () => {
  const usual = (await opened('navigate')).asked()
  vi.restoreAllMocks()
  cleanup()
  const { asked } = await opened('back_forward')
  await expect.poll(asked).toBe(usual + 1)
})
