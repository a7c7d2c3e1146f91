const CELL = 10
/** Few, many, most. */
const SHADES = [0.4, 0.7, 1] as const

interface DayStripProps {
  /** How many on each day, oldest first; the last one is today. */
  days: readonly number[]
  /** One sentence that says the same. */
  says: string
}

/** The last days as cells: the darker, the more. Drawn by the server; a path for each shade, so it stays small. */
export function DayStrip({ days, says }: DayStripProps) {
  const most = Math.max(1, ...days)
  return (
    <svg role="img" aria-label={says} viewBox={`0 0 ${days.length * CELL} ${CELL}`} className="h-auto w-full max-w-md">
      <path d={cells(days, () => true)} className="fill-sunken stroke-line" />
      {SHADES.map((shade, level) => (
        <path
          key={shade}
          d={cells(days, (count) => count > 0 && Math.ceil((count / most) * SHADES.length) === level + 1)}
          className="fill-accent"
          fillOpacity={shade}
        />
      ))}
    </svg>
  )
}

function cells(days: readonly number[], has: (count: number) => boolean): string {
  return days.map((count, index) => (has(count) ? `M${index * CELL + 1} 1h8v8h-8z` : '')).join('')
}
