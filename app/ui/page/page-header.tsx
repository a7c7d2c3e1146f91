import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '../button.tsx'

interface PageHeaderProps {
  title: string
  /** The account's business name, so that nobody works in the wrong account by mistake. Null = no account. */
  overline: string | null
  /** The current state in one sentence. */
  summary?: ReactNode
  /** The page above this one. */
  back?: { to: string; words: string }
  /** Links to other pages. */
  actions?: ReactNode
}

export function PageHeader({ title, overline, summary, back, actions }: PageHeaderProps) {
  return (
    <div className="mb-5 grid gap-4 sm:mb-6">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {overline ? <p className="wrap-anywhere text-label text-ink-soft">{overline}</p> : null}
          <h1 className="wrap-anywhere text-display font-semibold">{title}</h1>
        </div>
        {back || actions ? (
          <nav aria-label="Other pages" className="flex flex-wrap gap-2 print:hidden">
            {back ? (
              <ButtonLink to={back.to} icon={ArrowLeft}>
                {back.words}
              </ButtonLink>
            ) : null}
            {actions}
          </nav>
        ) : null}
      </div>
      {summary}
    </div>
  )
}
