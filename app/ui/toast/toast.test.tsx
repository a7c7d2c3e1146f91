import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Flash } from '#app/lib/flash.ts'
import { pageStub, renderPage } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { Field } from '../form/field.tsx'
import { useToast } from './toast.tsx'
import { TOAST } from './toast-message.ts'
// Fetched on demand in the product; here it is at hand, so that pretended time has nothing to wait for.
import './toaster.tsx'

const CREATED: Flash = { kind: 'success', title: 'Webhook created successfully!' }

function Buttons() {
  const toast = useToast()
  return (
    <>
      <button type="button" onClick={() => toast({ kind: 'success', title: 'Copied to clipboard!' })}>
        copy
      </button>
      <button
        type="button"
        onClick={() => toast({ kind: 'error', title: 'Failed to fetch logs', description: 'Try again.' })}
      >
        fail
      </button>
    </>
  )
}

/** The messages on the screen, by their titles. */
function shown(): string[] {
  const region = screen.queryByRole('region', { name: 'Messages (F8)' })
  return [...(region?.querySelectorAll('li') ?? [])].map((item) => item.querySelector('div div')?.textContent ?? '')
}

async function pass(ms: number) {
  await act(() => vi.advanceTimersByTimeAsync(ms))
}

function pretendTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('messages', () => {
  it('come one at a time: the next one takes the place of the last', async () => {
    pretendTime()
    renderPage({ page: () => <Buttons /> })
    fireEvent.click(screen.getByText('copy'))
    await pass(100)
    expect(shown()).toEqual(['Copied to clipboard!'])
    fireEvent.click(screen.getByText('fail'))
    await pass(100)
    expect(shown()).toEqual(['Failed to fetch logs'])
    screen.getByText('Try again.')
  })

  it('leave the error line free that they speak of', async () => {
    const boxes: [string, DOMRect][] = [
      ['ol', new DOMRect(0, 0, 448, 90)],
      ['[data-error]', new DOMRect(900, 720, 300, 20)],
    ]
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return boxes.find(([selector]) => this.matches(selector))?.[1] ?? new DOMRect()
    })
    vi.spyOn(document.documentElement, 'clientWidth', 'get').mockReturnValue(1_280)
    vi.stubGlobal('innerHeight', 800)
    class SeenAtOnce {
      readonly observe: () => void
      constructor(seen: () => void) {
        this.observe = seen
      }
      disconnect() {}
    }
    vi.stubGlobal('ResizeObserver', SeenAtOnce)
    const place = async (errors: string[]) => {
      const page = () => (
        <>
          <Buttons />
          <Field id="url" label="URL" errors={errors}>
            {(control) => <input {...control} />}
          </Field>
        </>
      )
      const { unmount } = renderPage({ page })
      fireEvent.click(screen.getByText('fail'))
      const { style } = await waitFor(() => screen.getByRole<HTMLElement>('list'))
      await waitFor(() => expect(style.top).not.toBe(''))
      const { left, top } = style
      unmount()
      return { left, top }
    }
    expect(await place([])).toEqual({ left: '832px', top: '710px' })
    expect(await place(['Enter a URL.'])).toEqual({ left: '0px', top: '710px' })
  })

  it('stay for five seconds', async () => {
    pretendTime()
    renderPage({ page: () => <Buttons /> })
    fireEvent.click(screen.getByText('copy'))
    await pass(100)
    await pass(4_800)
    expect(shown()).toEqual(['Copied to clipboard!'])
    await pass(200)
    expect(shown()).toEqual([])
  })

  it('each have five seconds of their own', async () => {
    pretendTime()
    renderPage({ page: () => <Buttons /> })
    fireEvent.click(screen.getByText('copy'))
    await pass(4_000)
    fireEvent.click(screen.getByText('fail'))
    await pass(4_000)
    expect(shown()).toEqual(['Failed to fetch logs'])
  })

  it('can be dismissed', async () => {
    renderPage({ page: () => <Buttons />, flash: CREATED })
    fireEvent.click(await screen.findByRole('button', { name: 'Dismiss' }))
    expect(shown()).toEqual([])
  })

  it('are reached with F8', async () => {
    renderPage({ page: () => <Buttons />, flash: CREATED })
    await screen.findByRole('button', { name: 'Dismiss' })
    fireEvent.keyDown(document, { key: 'F8', code: 'F8' })
    expect(document.activeElement?.tagName).toBe('OL')
  })

  it('keep to the numbers of the specification', () => {
    expect(TOAST).toEqual({
      durationMs: 5_000,
      forgetAfterMs: 1_000_000,
      swipeDirection: 'right',
      swipeThreshold: 50,
      hotkey: ['F8'],
    })
  })
})

describe("the server's message", () => {
  it('stands in the page before any script has run', () => {
    // The router of the test is one for browsers.
    expectNoise(/useLayoutEffect does nothing on the server/)
    const html = renderToString(pageStub({ page: () => <Buttons />, flash: CREATED }))
    expect(html).toContain('Webhook created successfully!')
    expect(html).not.toContain('style=')
  })

  it('becomes a toast, and is not said twice', async () => {
    renderPage({ page: () => <Buttons />, flash: CREATED })
    await waitFor(() => expect(shown()).toEqual(['Webhook created successfully!']))
    expect(screen.getAllByText('Webhook created successfully!')).toHaveLength(1)
  })
})
