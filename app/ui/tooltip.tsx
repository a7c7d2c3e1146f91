import { cloneElement, type ReactElement, useEffect, useId, useRef, useState } from 'react'

/** From the specification: opens after 700 ms, or immediately when another tooltip was open less than 300 ms ago. */
const TOOLTIP = { openDelayMs: 700, skipDelayMs: 300 } as const

/** When the last tooltip closed: shared, so moving along a row of buttons does not wait at each. */
let lastClosedAt = Number.NEGATIVE_INFINITY

interface TooltipProps {
  words: string
  /** One focusable control with its own name. */
  children: ReactElement<{ 'aria-describedby'?: string }>
}

/**
 * A short description of a control, on hover and on focus; Escape closes it, and it stays open while pointed at. Our
 * own code: a positioning library would weigh as much as a whole page.
 */
export function Tooltip({ words, children }: TooltipProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  function show(delayMs: number) {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(true), delayMs)
  }
  function hide() {
    clearTimeout(timer.current)
    if (open) lastClosedAt = performance.now()
    setOpen(false)
  }

  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (!open) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.key === 'Escape') setOpen(false)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [open])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches; the control inside is what is operated.
    <span
      className="relative inline-flex"
      onPointerEnter={(event) => {
        if (event.pointerType === 'touch') return
        show(performance.now() - lastClosedAt < TOOLTIP.skipDelayMs ? 0 : TOOLTIP.openDelayMs)
      }}
      onPointerLeave={hide}
      onFocus={(event) => {
        if (event.target.matches(':focus-visible')) show(0)
      }}
      onBlur={hide}
    >
      {cloneElement(children, open ? { 'aria-describedby': id } : {})}
      {open ? (
        <span
          role="tooltip"
          id={id}
          className="absolute right-0 bottom-full z-30 mb-1.5 w-max max-w-60 animate-appear rounded-control bg-ink px-2.5 py-1.5 text-canvas text-dense after:absolute after:inset-x-0 after:top-full after:h-2"
        >
          {words}
        </span>
      ) : null}
    </span>
  )
}
