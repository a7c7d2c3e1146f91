import { lazy, Suspense } from 'react'
import type { GateProps } from './gate-card.tsx'

const loadCard = async () => ({ default: (await import('./gate-card.tsx')).GateCard })

// The server has it loaded and draws it; a browser that is signed in never loads it.
const GateCard = import.meta.env.SSR ? (await loadCard()).default : lazy(loadCard)

/** Stands for every page until the user has signed in. */
export function Gate(props: GateProps) {
  return (
    <Suspense fallback={null}>
      <GateCard {...props} />
    </Suspense>
  )
}
