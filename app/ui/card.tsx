import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ComponentPropsWithoutRef, ReactNode } from 'react'

export const cardStyles = 'rounded-card border border-line bg-surface shadow-rest'

export function Card({ className, ...rest }: ComponentPropsWithoutRef<'div'>) {
  return <div {...rest} className={clsx(cardStyles, className)} />
}

interface CardSectionProps {
  /** Prefix of its element ids. */
  id: string
  title: string
  /** Shown beside the title. */
  action?: ReactNode
  children: ReactNode
  className?: string
}

/** A card that is a region of the page, named by its heading. */
export function CardSection({ id, title, action, children, className }: CardSectionProps) {
  return (
    <section aria-labelledby={`${id}-title`} className={clsx(cardStyles, 'p-4 sm:p-5', className)}>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h2 id={`${id}-title`} className="text-title font-semibold">
          {title}
        </h2>
        {action}
      </div>
      {children}
    </section>
  )
}

/** A part of a card, closed until its heading is pressed. Works without scripts. */
export function ClosedSection({ id, title, open = false, children }: CardSectionProps & { open?: boolean }) {
  return (
    <section aria-labelledby={`${id}-title`} className="px-4 sm:px-5">
      <details open={open} className="group/section">
        <summary className="flex min-h-11 cursor-pointer list-none items-center justify-between gap-2">
          <h2 id={`${id}-title`} className="font-semibold text-label">
            {title}
          </h2>
          <ChevronRight
            aria-hidden
            className="size-4 shrink-0 transition-transform group-open/section:rotate-90 motion-reduce:transition-none"
          />
        </summary>
        <div className="pt-1 pb-4">{children}</div>
      </details>
    </section>
  )
}
