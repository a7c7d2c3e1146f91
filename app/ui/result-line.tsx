import { Link } from '@remix-run/react'
import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, type LucideIcon } from 'lucide-react'
import type { Flash } from '#app/lib/flash.ts'
import { usePlacedFlash } from './toast/toast.tsx'

const MARKS: Record<Flash['kind'], { icon: LucideIcon; colour: string }> = {
  success: { icon: CircleCheck, colour: 'text-working' },
  error: { icon: CircleAlert, colour: 'text-failing' },
  info: { icon: Info, colour: 'text-accent' },
}

/** The result of a press, under the pressed button. `at` = the place that the server's message names. */
export function ResultLine({ at }: { at: string }) {
  const flash = usePlacedFlash(at)
  return flash === null ? null : <ResultWords flash={flash} />
}

export function ResultWords({ flash }: { flash: Flash }) {
  const { icon: Icon, colour } = MARKS[flash.kind]
  return (
    <p className="flex items-start gap-2 text-label">
      <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', colour)} />
      <span className="min-w-0 wrap-anywhere">
        <strong className="font-semibold">{flash.title}</strong>
        {flash.description ? ` ${flash.description}` : null}
        {flash.link ? (
          <>
            {' '}
            <Link
              to={flash.link.to}
              className="-my-2.5 inline-flex min-h-11 items-center font-medium text-accent underline"
            >
              {flash.link.words}
            </Link>
          </>
        ) : null}
      </span>
    </p>
  )
}
