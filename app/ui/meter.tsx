interface MeterProps {
  /** The measured quantity. */
  label: string
  value: number
  most: number
  /** The value in words, beside the label: `4 of 14 days`. */
  words: string
  tone?: 'accent' | 'attention'
}

const FILLS: Record<NonNullable<MeterProps['tone']>, string> = { accent: 'fill-accent', attention: 'fill-attention' }

/** Shows usage as a bar and in words. A value above the maximum fills the bar. */
export function Meter({ label, value, most, words, tone = 'accent' }: MeterProps) {
  const part = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0
  return (
    <div className="grid gap-1.5">
      <p aria-hidden className="flex flex-wrap items-baseline justify-between gap-x-3 text-label">
        <span className="font-medium">{label}</span>
        <span className="text-ink-soft tabular-nums">{words}</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: the browsers' own meter cannot be given these colours everywhere. */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(value, most)}
        aria-valuetext={words}
        className="overflow-hidden rounded-pill border border-line"
      >
        {/* Widths are SVG attributes: the page's policy allows no inline styles. */}
        <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="block h-2.5 w-full">
          <rect width="100" height="4" className="fill-sunken" />
          {part > 0 ? <rect width={part * 100} height="4" className={FILLS[tone]} /> : null}
        </svg>
      </div>
    </div>
  )
}
