const CELL = 10

interface DayStripProps {
  /** How many on each day, oldest first; the last one is today. */
  days: readonly number[]
  /** One sentence that says the same. */
  says: string
}

/** The last days as cells: the darker, the more. Drawn by the server. */
export function DayStrip({ days, says }: DayStripProps) {
  const most = Math.max(1, ...days)
  return (
    <svg role="img" aria-label={says} viewBox={`0 0 ${days.length * CELL} ${CELL}`} className="h-auto w-full max-w-md">
      <path d={days.map((_, index) => `M${index * CELL + 1} 1h8v8h-8z`).join('')} className="fill-sunken stroke-line" />
      {days.map((count, index) =>
        count === 0 ? null : (
          <rect
            key={index}
            x={index * CELL + 1}
            y={1}
            width={8}
            height={8}
            className="fill-accent"
            fillOpacity={(0.35 + (0.65 * count) / most).toFixed(2)}
          />
        ),
      )}
    </svg>
  )
}
