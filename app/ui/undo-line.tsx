// Offers to bring back what was just deleted.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { UNDO_KEPT } from '#app/lib/undo.ts'
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

/**
 * With scripts it goes after `shownFor`, or once nobody is at it any more, by pointer or keyboard; at the latest with
 * the undo itself.
 */
export function UndoLine({ id, shownFor, button, children }: UndoLineProps) {
  const box = useRef<HTMLDivElement>(null)
  const [over, setOver] = useState<string | null>(null)
  useEffect(() => {
    const since = Date.now()
    // What was deleted had the focus: go on here, where it comes back.
    if ((document.activeElement ?? document.body) === document.body) box.current?.focus()
    const timer = setInterval(() => {
      // Not `:focus-within`: the focus above, which a mouse user never sees, would hold it.
      const isAtIt = box.current?.matches(':hover, :focus-visible') || box.current?.querySelector(':focus-visible')
      if (!isAtIt || Date.now() - since >= UNDO_KEPT) setOver(id)
    }, shownFor)
    return () => clearInterval(timer)
  }, [id, shownFor])
  if (over === id) return null
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
