import { Link } from '@remix-run/react'
import { clsx } from 'clsx'
import { Gauge, ShieldUser } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Tone, toneStyles } from '../badge.tsx'
import { usePlainFlash } from '../toast.tsx'

const MAIN_ID = 'main'

/** The hook in its square, as in public/favicon.svg. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M19.5 11.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5v8a5.25 5.25 0 0 1-10.5 0v-3l3.5 3"
        fill="none"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-on-accent"
      />
    </svg>
  )
}

const LINK =
  'inline-flex min-h-11 items-center gap-1.5 text-label text-ink-soft underline-offset-4 hover:text-ink hover:underline'

interface AppFrameProps {
  /** Address of the page about the current account; null = no account is shown. */
  accountPage?: string | null
  /** Address of the operator's page, for operators. */
  operatorPage?: string | null
  children: ReactNode
}

/** The frame of every page: skip link, product name, link to the account, the server's message, the page. */
export function AppFrame({ accountPage = null, operatorPage = null, children }: AppFrameProps) {
  return (
    <>
      <SkipLink />
      <header className="border-line border-b bg-surface">
        <div className="mx-auto flex min-h-12 max-w-6xl items-center gap-2.5 px-4 sm:px-6">
          <Mark className="size-6" />
          <span className="text-label font-semibold">Fieldhook</span>
          {accountPage === null ? null : (
            <nav aria-label="Account" className="ml-auto flex flex-wrap justify-end gap-x-5">
              {operatorPage === null ? null : (
                <Link to={operatorPage} className={LINK}>
                  <Gauge aria-hidden className="size-4 shrink-0" />
                  Operator
                </Link>
              )}
              <Link to={accountPage} className={LINK}>
                <ShieldUser aria-hidden className="size-4 shrink-0" />
                {/* One word on a phone, or the operator's two links would take two lines. */}
                <span>
                  Account<span className="max-sm:sr-only"> and security</span>
                </span>
              </Link>
            </nav>
          )}
        </div>
      </header>
      <FlashLine />
      <main id={MAIN_ID} tabIndex={-1} className="mx-auto max-w-6xl px-4 py-5 sm:px-6 sm:py-8">
        {children}
      </main>
    </>
  )
}

/** First stop of the Tab key: skips the header to the main content. */
function SkipLink() {
  return (
    <a
      href={`#${MAIN_ID}`}
      className="pointer-events-none fixed top-2 left-2 z-50 rounded-control bg-accent px-4 py-3 text-label font-medium text-on-accent opacity-0 focus:pointer-events-auto focus:opacity-100"
    >
      Skip to content
    </a>
  )
}

const tones = { success: 'working', error: 'failing', info: 'accent' } as const satisfies Record<string, Tone>

/** The server's message at the top of the page, while no script shows it as a toast. */
export function FlashLine() {
  const flash = usePlainFlash()
  if (!flash) return null
  return (
    <div
      role={flash.kind === 'error' ? 'alert' : 'status'}
      className={clsx('text-label', toneStyles[tones[flash.kind]])}
    >
      <p className="wrap-anywhere mx-auto max-w-6xl px-4 py-3 sm:px-6">
        <strong className="font-semibold">{flash.title}</strong>
        {flash.description ? ` ${flash.description}` : null}
      </p>
    </div>
  )
}
