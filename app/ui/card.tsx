import { clsx } from 'clsx'
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
