import { Link, type LinkProps } from '@remix-run/react'
import { clsx } from 'clsx'

/** One of a row of pages; a line below it marks the current one. */
export function TabLink({ current, className, ...link }: LinkProps & { current: boolean }) {
  return (
    <Link
      {...link}
      aria-current={current ? 'page' : undefined}
      className={clsx(
        'inline-flex items-center border-b-2',
        // Where the system sets the colours, a transparent line is drawn too.
        current
          ? 'border-accent text-ink'
          : 'border-transparent text-ink-soft hover:text-ink forced-colors:border-[Canvas]',
        className,
      )}
    />
  )
}
