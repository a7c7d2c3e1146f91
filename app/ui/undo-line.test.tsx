import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { minutes, seconds } from '#app/lib/duration.ts'
import { UNDO_SHOWN } from '#app/lib/undo.ts'
import { UndoLine } from './undo-line.tsx'

const line = (id: string) => (
  <UndoLine id={id} shownFor={UNDO_SHOWN} button={<button type="button">Undo</button>}>
    Number {id} was deleted.
  </UndoLine>
)
const box = () => screen.queryByRole('group')
const later = (passed: number) => act(() => vi.advanceTimersByTime(passed))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

it('has the focus again for the next deletion, after the line of the one before has gone', () => {
  const { rerender } = render(line('1'))
  act(() => box()?.blur())
  later(seconds(11))
  expect(box()).toBeNull()
  rerender(line('2'))
  expect(box()?.textContent).toContain('Number 2 was deleted.')
  expect(document.activeElement).toBe(box())
})

it('stays while somebody is at it by keyboard, and not longer than the deletion can be undone', () => {
  render(line('1'))
  later(minutes(1))
  act(() => screen.getByRole('button').focus())
  later(minutes(8))
  expect(box()).not.toBeNull()
  later(minutes(1))
  expect(box()).toBeNull()
})

it('goes for a mouse user, though it has the focus', () => {
  render(line('1'))
  const one = box() as HTMLElement
  expect(document.activeElement).toBe(one)
  // As a browser answers when the press before it came from a mouse.
  vi.spyOn(one, 'matches').mockImplementation((selector) => selector.includes(':focus-within'))
  vi.spyOn(one, 'querySelector').mockReturnValue(null)
  later(seconds(10))
  expect(box()).toBeNull()
})
