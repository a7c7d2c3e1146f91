import { Link, useNavigation } from '@remix-run/react'
import { clsx } from 'clsx'
import { Gauge } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Tone, toneStyles } from '../badge.tsx'
import { usePlainFlash } from '../toast/toast.tsx'
import { TabLink } from './tab-link.tsx'

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

/** One of the places of the main navigation. */
export interface Place {
  words: string
  to: string
  /** Only the response of the page itself allows what it needs. */
  reloadDocument?: boolean
  current: boolean
  /** Read out after the words. */
  more?: string
}

interface AppFrameProps {
  /** The main navigation; empty = no account is shown. */
  places?: readonly Place[]
  /** Address of the operator's page, for operators. */
  operatorPage?: string | null
  children: ReactNode
}

/** The frame of every page: skip link, product name, main navigation, the server's message, the page. */
export function AppFrame({ places = [], operatorPage = null, children }: AppFrameProps) {
  return (
    <>
      <SkipLink />
      <Underway />
      <header className="border-line border-b bg-surface">
        <div className="mx-auto flex min-h-12 max-w-6xl flex-wrap items-center gap-x-6 px-4 sm:px-6">
          <span className="flex min-h-11 items-center gap-2.5 font-semibold text-label">
            <Mark className="size-6" />
            Fieldhook
          </span>
          {operatorPage === null ? null : (
            <Link
              to={operatorPage}
              className="inline-flex min-h-11 items-center gap-1.5 text-ink-soft text-label underline-offset-4 hover:text-ink hover:underline max-md:ml-auto md:order-last md:ml-auto"
            >
              <Gauge aria-hidden className="size-4 shrink-0" />
              Operator
            </Link>
          )}
          {places.length === 0 ? null : (
            <nav aria-label="Fieldhook" className="-mx-2 relative min-w-0 overflow-x-auto max-md:w-[calc(100%+1rem)]">
              <ul className="flex justify-between max-sm:flex-wrap sm:justify-start sm:gap-x-1">
                {places.map((place) => (
                  <li key={place.words} className="shrink-0">
                    <PlaceLink place={place} />
                  </li>
                ))}
              </ul>
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

function PlaceLink({ place: { words, to, reloadDocument = false, current, more } }: { place: Place }) {
  return (
    <TabLink
      to={to}
      reloadDocument={reloadDocument}
      current={current}
      className="min-h-12 px-0.5 text-dense min-[23.4rem]:px-1 aria-[current]:font-semibold sm:px-2 sm:text-label"
    >
      {words}
      {more ? <span className="sr-only">{more}</span> : null}
    </TabLink>
  )
}

/** A line at the top while the next page is on its way. */
function Underway() {
  const { state } = useNavigation()
  if (state !== 'loading') return null
  return (
    <div className="fixed inset-x-0 top-0 z-50 h-0.5 overflow-hidden bg-accent-soft">
      <div role="progressbar" aria-label="Loading" className="underway h-full w-1/3 bg-accent" />
    </div>
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
