// Figures of a command with its own output format: collected while printing, for `recordFigures` at its end.
import type { Figure } from './figures.ts'

export interface KeptFigures {
  figures: Figure[]
  /** Starts a group for the figures that follow. */
  group(name: string): void
  keep(name: string, value: string | number, bar?: Pick<Figure, 'bar' | 'met' | 'unit'>): void
}

export function keepFigures(): KeptFigures {
  const figures: Figure[] = []
  let now: string | undefined
  return {
    figures,
    group(name) {
      now = name
    },
    keep: (name, value, bar) => void figures.push({ name: name.trim(), value, ...bar, ...(now && { group: now }) }),
  }
}
