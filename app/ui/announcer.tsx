import { useLocation } from '@remix-run/react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'

const AnnounceContext = createContext<(sentence: string) => void>(() => {})

/** Announces a sentence to screen readers at the next pause. Invisible. */
export function useAnnounce(): (sentence: string) => void {
  return useContext(AnnounceContext)
}

export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ sentence: '', turn: 0 })
  const announce = useCallback((sentence: string) => setSaid((last) => ({ sentence, turn: last.turn + 1 })), [])
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      {/* The key makes a repeated sentence count as new. */}
      <div aria-live="polite" className="sr-only">
        <span key={said.turn}>{said.sentence}</span>
      </div>
    </AnnounceContext.Provider>
  )
}

/**
 * Announces the title of a page that came without a new document: the focus is still on the link. Tabs have titles of
 * their own; a search keeps that of its page.
 */
export function PageAnnounced() {
  const announce = useAnnounce()
  const { pathname, key } = useLocation()
  const last = useRef<string | null>(null)
  useEffect(() => {
    const page = `${pathname} ${document.title}`
    if (last.current !== null && last.current !== page) announce(document.title)
    last.current = page
  }, [pathname, key, announce])
  return null
}
