import { type RefObject, useEffect, useRef } from 'react'

/** `/` moves the focus to the search box of a list, unless something is being typed. Returns the box's ref. */
export function useSearchKey(): RefObject<HTMLInputElement> {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const at = event.target instanceof HTMLElement ? event.target : null
      const isTyping = at?.isContentEditable || at?.matches('input, textarea, select') || at?.closest('[role=dialog]')
      if (isTyping || !box.current) return
      event.preventDefault()
      box.current.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return box
}
