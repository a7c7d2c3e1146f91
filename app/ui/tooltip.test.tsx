import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Tooltip } from './tooltip.tsx'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}

function renderTwo() {
  render(
    <>
      <Tooltip words="First words">
        <button type="button">one</button>
      </Tooltip>
      <Tooltip words="Second words">
        <button type="button">two</button>
      </Tooltip>
    </>,
  )
  // Whatever closed in another test is long ago.
  pass(10_000)
}

function around(name: string): HTMLElement {
  return screen.getByRole('button', { name }).parentElement as HTMLElement
}

const words = () => screen.queryByRole('tooltip')?.textContent ?? null

describe('a tooltip', () => {
  it('opens after 700 ms of pointing', () => {
    renderTwo()
    fireEvent.pointerEnter(around('one'))
    pass(699)
    expect(words()).toBeNull()
    pass(1)
    expect(words()).toBe('First words')
  })

  it('opens at once when another was open less than 300 ms ago', () => {
    renderTwo()
    fireEvent.pointerEnter(around('one'))
    pass(700)
    fireEvent.pointerLeave(around('one'))
    pass(299)
    fireEvent.pointerEnter(around('two'))
    pass(0)
    expect(words()).toBe('Second words')
  })

  it('waits again after that', () => {
    renderTwo()
    fireEvent.pointerEnter(around('one'))
    pass(700)
    fireEvent.pointerLeave(around('one'))
    pass(300)
    fireEvent.pointerEnter(around('two'))
    pass(699)
    expect(words()).toBeNull()
  })

  it('describes its control, and Escape puts it away', () => {
    renderTwo()
    fireEvent.pointerEnter(around('one'))
    pass(700)
    const button = screen.getByRole('button', { name: 'one' })
    expect(button.getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id)
    fireEvent.keyDown(document, { key: 'Escape' })
    expect(words()).toBeNull()
    expect(button.hasAttribute('aria-describedby')).toBe(false)
  })

  it('does not open when the pointer only passes', () => {
    renderTwo()
    fireEvent.pointerEnter(around('one'))
    pass(200)
    fireEvent.pointerLeave(around('one'))
    pass(2_000)
    expect(words()).toBeNull()
  })
})
