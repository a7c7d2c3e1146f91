// Offers to bring back what was just deleted.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Notice } from './notice.tsx'

interface UndoLineProps {
  /** What was deleted: another one begins anew. */
  id: string
  /** How long it is offered, ms. Without scripts it stays until the next page. */
  shownFor: number
  /** The button. */
  button: ReactNode
  children: ReactNode
}

/** With scripts it goes after `shownFor`, or once nobody is at it any more. */
export function UndoLine({ id, shownFor, button, children }: UndoLineProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    setOver(false)
    // What was deleted had the focus: go on here, where it comes back.
    if ((document.activeElement ?? document.body) === document.body) box.current?.focus()
    const timer = setInterval(() => {
      if (!box.current?.matches(':hover, :focus-within')) setOver(true)
    }, shownFor)
    return () => clearInterval(timer)
  }, [id, shownFor])
  if (isOver) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: no field is in it
    <div ref={box} role="group" aria-labelledby="undo-line" tabIndex={-1} className="mb-3">
      <Notice tone="accent">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span id="undo-line" className="wrap-anywhere">
            {children}
          </span>
          {button}
        </div>
      </Notice>
    </div>
  )
}
