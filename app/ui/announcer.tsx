import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

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
