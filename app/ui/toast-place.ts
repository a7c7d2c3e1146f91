// Where a message covers no control: on a phone at the top, on a wider screen in a corner.
import { type RefObject, useLayoutEffect, useState } from 'react'

export type ToastPlace = 'top' | 'bottom' | 'bottom right' | 'bottom left' | 'top right' | 'top left'

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Narrower screens have the whole width for a message. CSS pixels; the `sm` of the styles. */
const NARROW = 640

/** Returns the first place, or the one where the message of this size covers the least of the controls. */
export function freePlace(
  screen: { width: number; height: number },
  size: { width: number; height: number },
  controls: readonly Box[],
): ToastPlace {
  const places: readonly ToastPlace[] =
    screen.width < NARROW ? ['top', 'bottom'] : ['bottom right', 'bottom left', 'top right', 'top left']
  const costs = places.map((place) => {
    const box = boxOf(place, screen, size)
    return controls.reduce((sum, control) => sum + overlap(box, control), 0)
  })
  return places[costs.indexOf(Math.min(...costs))] ?? 'bottom right'
}

function boxOf(
  place: ToastPlace,
  screen: { width: number; height: number },
  size: { width: number; height: number },
): Box {
  const top = place.startsWith('top') ? 0 : screen.height - size.height
  const left = place.endsWith('right') ? screen.width - size.width : 0
  return { left, top, right: left + size.width, bottom: top + size.height }
}

function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return width > 0 && height > 0 ? width * height : 0
}

/**
 * Chooses the place of a message that has just been drawn. At the head of a narrow page, the page makes room for it
 * while it is open.
 */
export function useToastPlace(viewport: RefObject<HTMLElement>, message: { id: number; open: boolean }): ToastPlace {
  const [place, setPlace] = useState<ToastPlace>('bottom right')
  const { id, open } = message
  useLayoutEffect(() => {
    if (!viewport.current || !open || id < 0) return
    const { width, height } = viewport.current.getBoundingClientRect()
    const screen = { width: window.innerWidth, height: window.innerHeight }
    const atHead = screen.width < NARROW && window.scrollY === 0
    const own = viewport.current
    const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe')]
      .filter((control) => !own.contains(control))
      .map((control) => control.getBoundingClientRect())
    setPlace(atHead ? 'top' : freePlace(screen, { width, height }, controls))
    if (!atHead) return
    const before = document.body.style.paddingTop
    document.body.style.paddingTop = `${height}px`
    return () => {
      document.body.style.paddingTop = before
    }
  }, [viewport, id, open])
  return place
}
