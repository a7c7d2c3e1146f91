import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const AnnounceContext = createContext<(sentence: string) => void>(() => {})

/** Says a sentence to people who listen to the page, when they pause. Nothing is seen of it. */
export function useAnnounce(): (sentence: string) => void {
  return useContext(AnnounceContext)
}

export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ sentence: '', turn: 0 })
  const announce = useCallback((sentence: string) => setSaid((last) => ({ sentence, turn: last.turn + 1 })), [])
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      {/* The key makes the same sentence count as new when it is said twice. */}
      <div aria-live="polite" className="sr-only">
        <span key={said.turn}>{said.sentence}</span>
      </div>
    </AnnounceContext.Provider>
  )
}
