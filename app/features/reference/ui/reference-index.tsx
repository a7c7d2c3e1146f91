import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { buttonStyles } from '#app/ui/button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import type { ReferenceIndex } from '../reference-pages.ts'

export const REFERENCE_TITLE = 'API reference'

const LINE = 'text-dense leading-6 underline-offset-4 hover:underline target:font-semibold'

/**
 * Every subject with its calls, on one screen. Each line has the anchor it had while the reference was one page: such a
 * link arrives here at the line, and a script goes on to its page.
 */
export function ReferenceIndexPage({ general, subjects, objects }: ReferenceIndex) {
  return (
    <>
      <PageHeader
        title={REFERENCE_TITLE}
        overline="All endpoints, generated from the code."
        actions={<OpenApiLink />}
      />
      <ul className="grid grid-cols-2 gap-x-4 lg:block lg:columns-4 lg:gap-x-6 print:block print:columns-3">
        <li className="contents lg:mb-2 lg:block">
          <h2 className="hidden text-label font-semibold lg:block">Basics</h2>
          <ul className="contents lg:grid">
            {general.map(({ anchor, name, to }) => (
              <li key={anchor}>
                <a
                  id={anchor}
                  href={to}
                  className="flex min-h-11 items-center font-medium text-accent text-label underline-offset-4 hover:underline lg:inline lg:text-dense lg:leading-6"
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </li>
        {subjects.map((subject) => (
          <Subject key={subject.anchor} subject={subject} />
        ))}
      </ul>
      <Disclosure summary={`Objects (${objects.length})`} className="mt-1 print:hidden">
        <ul className="columns-2 gap-x-6 sm:columns-4">
          {objects.map(({ anchor, name, to }) => (
            <li key={anchor} className="truncate">
              <a id={anchor} href={to} className={LINE}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </Disclosure>
      <script src="/reference-places.js" defer />
    </>
  )
}

/** On a phone the calls are on the subject's page, except one that a link names. */
function Subject({ subject }: { subject: ReferenceIndex['subjects'][number] }) {
  const { anchor, name, to, calls } = subject
  return (
    <li className="has-[ul_:target]:col-span-2 lg:mb-2">
      <h2 className="break-after-avoid">
        <a
          id={anchor}
          href={to}
          className="flex min-h-11 items-center justify-between gap-2 font-semibold text-accent text-label underline-offset-4 hover:underline lg:inline-flex lg:min-h-6"
        >
          {name}
          <span className="font-normal text-dense text-ink-soft tabular-nums lg:hidden">{calls.length}</span>
        </a>
      </h2>
      <ul className="hidden has-[:target]:grid lg:grid print:grid">
        {calls.map((call) => (
          <li key={call.anchor} className="flex min-w-0 items-baseline gap-1.5">
            <span
              className={clsx(
                'w-9 shrink-0 font-mono text-dense text-ink-soft uppercase',
                call.method !== 'GET' && 'font-semibold text-ink',
              )}
            >
              {SHORT[call.method]}
            </span>
            <a id={call.anchor} href={call.to} title={call.name} className={clsx(LINE, 'min-w-0 truncate')}>
              {call.name.replaceAll('`', '')}
            </a>
          </li>
        ))}
      </ul>
    </li>
  )
}

const SHORT = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del' } as const

export function OpenApiLink() {
  return (
    <a href="/api/openapi.json" className={buttonStyles()}>
      <Download aria-hidden className="size-4" />
      OpenAPI 3.1
    </a>
  )
}
