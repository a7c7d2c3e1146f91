// The frame of the rule form: three blocks on a rail, parts that close to one line, and folds for rare things.
import { clsx } from 'clsx'
import { Check, ChevronRight, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useRuleForm } from './form-context.tsx'

/** Id of a part's line, for links and for the focus. */
export function partId(part: string): string {
  return `part-${part}`
}

/** The last step, whatever its key is. */
export const NEWEST = 'newest'

interface BlockProps {
  /** The big word: `When`. */
  word: string
  /** Its heading, in small. */
  title: string
  id: string
  done?: boolean
  /** The rail ends here. */
  last?: boolean
  children: ReactNode
}

/** One of the three blocks, with its point on the rail. */
export function Block({ word, title, id, done = false, last = false, children }: BlockProps) {
  return (
    <section
      aria-labelledby={`rule-${id}`}
      className={clsx(
        'relative grid grid-cols-[minmax(0,1fr)] gap-3 pl-7 before:absolute before:top-5 before:left-[9px] before:w-0.5 before:bg-line',
        last ? 'before:bottom-0' : 'before:-bottom-6',
      )}
    >
      <span
        aria-hidden
        className={clsx(
          'absolute top-0.5 left-0 grid size-5 place-items-center rounded-pill border-2',
          done ? 'border-accent bg-accent text-on-accent' : 'border-line-strong bg-surface',
        )}
      >
        {done ? <Check className="size-3" strokeWidth={3} /> : null}
      </span>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold text-body">{word}</span>
        <h3 id={`rule-${id}`} tabIndex={-1} className="text-dense text-ink-soft">
          {title}
        </h3>
      </div>
      {children}
    </section>
  )
}

interface PartProps {
  /** Its name in `openParts`. */
  part: string
  icon?: LucideIcon
  /** What it says while it is closed. */
  line: ReactNode
  children: ReactNode
}

/** Closes to one line with "Edit", with and without scripts. */
export function Part({ part, icon: Icon, line, children }: PartProps) {
  const { open, setOpen } = useRuleForm()
  return (
    <details
      open={open.has(part)}
      onToggle={(event) => setOpen(part, event.currentTarget.open)}
      className="group/part rounded-control border border-line bg-surface open:border-line-strong"
    >
      <summary
        id={partId(part)}
        className="flex min-h-11 list-none items-center gap-2.5 rounded-control px-3 py-2 text-label hover:bg-sunken"
      >
        {Icon ? <Icon aria-hidden className="size-4 shrink-0 text-accent" /> : null}
        <span className="wrap-anywhere min-w-0 flex-1 font-medium">{line}</span>
        <span className="font-medium text-accent group-open/part:hidden">Edit</span>
        <ChevronRight
          aria-hidden
          className="hidden size-4 shrink-0 rotate-90 text-ink-soft group-open/part:block motion-reduce:transition-none"
        />
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-3 pt-2 pb-3">{children}</div>
    </details>
  )
}

interface FoldProps {
  /** Its place: a part and its own word, `when.more`. */
  place: string
  summary: ReactNode
  /** What stands in it, in a line, while it is closed. */
  set?: string
  /** Something in it is wrong: it is open. */
  wrong?: boolean
  children: ReactNode
}

/** Rare things, closed until asked for. */
export function Fold({ place, summary, set = '', wrong = false, children }: FoldProps) {
  const { at } = useRuleForm()
  const [open, setOpen] = useState(at === place || at.startsWith(`${place}.`))
  return (
    <details open={open || wrong} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/fold">
      <summary className="inline-flex min-h-11 max-w-full list-none items-center gap-1.5 rounded-control pr-2 text-accent text-label">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform group-open/fold:rotate-90 motion-reduce:transition-none"
        />
        <span className="wrap-anywhere">
          <span className="font-medium underline-offset-4 hover:underline">{summary}</span>
          {set === '' ? null : <span className="text-ink-soft group-open/fold:hidden"> · {set}</span>}
        </span>
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-1 pb-2">{children}</div>
    </details>
  )
}

/** True when an error of the answer stands at one of these paths, or below it. */
export function isWrongAt(errors: Readonly<Record<string, string[]>>, paths: readonly string[]): boolean {
  return Object.keys(errors).some((field) => paths.some((path) => field === path || field.startsWith(`${path}.`)))
}
