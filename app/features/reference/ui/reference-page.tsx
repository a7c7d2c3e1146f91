import { clsx } from 'clsx'
import { ArrowRight, ListTree } from 'lucide-react'
import { buttonStyles } from '#app/ui/button.tsx'
import { CardSection, cardStyles } from '#app/ui/card.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import type { ReferencePart } from '../reference-pages.ts'
import { GENERAL_TITLES, REFERENCE_PATH } from '../reference-places.ts'
import { GENERAL_TEXTS, OTHER_ADDRESSES } from '../reference-text.ts'
import type { ReferenceView, ShownCall } from '../reference-view.ts'
import { CallCard, MethodBadge } from './call-card.tsx'
import { CodeBlock } from './code-block.tsx'
import { FieldRows } from './field-rows.tsx'
import { OpenApiLink } from './reference-index.tsx'
import { Words } from './reference-words.tsx'

/** One part of the reference, readable without scripts and in print. */
export function ReferencePage({ part }: { part: ReferencePart }) {
  return (
    <div className="printed-whole">
      <PageHeader
        title={partTitle(part)}
        overline="API reference"
        summary={part.kind === 'subject' ? <p className="text-ink-soft">{part.group.says}</p> : null}
        actions={
          <>
            <a href={REFERENCE_PATH} className={buttonStyles({ className: 'print:hidden' })}>
              <ListTree aria-hidden className="size-4" />
              All endpoints
            </a>
            <OpenApiLink />
          </>
        }
      />
      {part.kind === 'subject' ? <Subject {...part} /> : <General part={part} />}
      <script src="/copy-code.js" defer />
    </div>
  )
}

export function partTitle(part: ReferencePart): string {
  return part.kind === 'subject' ? part.group.name : GENERAL_TITLES[part.kind]
}

function Subject({ group, types, next }: Extract<ReferencePart, { kind: 'subject' }>) {
  return (
    <div className="grid gap-6 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-8">
      <Contents calls={group.calls} hasObjects={types.length > 0} />
      <div className="grid min-w-0 gap-4">
        <h2 className="sr-only">Endpoints</h2>
        {group.calls.map((call) => (
          <CallCard key={call.anchor} call={call} />
        ))}
        {types.length === 0 ? null : (
          <section id="objects" aria-labelledby="objects-title" className="mt-4 scroll-mt-6">
            <h2 id="objects-title" className="mb-3 font-semibold text-title">
              Objects
            </h2>
            <div className="grid gap-4">
              {types.map(({ name, anchor, rows }) => (
                <div key={name} id={anchor} className={clsx(cardStyles, 'scroll-mt-6 p-4 sm:p-5')}>
                  <h3 className="mb-2 font-semibold">{name}</h3>
                  <FieldRows label={name} rows={rows} mark="" />
                </div>
              ))}
            </div>
          </section>
        )}
        {next === null ? null : (
          <p className="print:hidden">
            <a href={next.to} className={buttonStyles()}>
              {next.name}
              <ArrowRight aria-hidden className="size-4" />
            </a>
          </p>
        )}
      </div>
    </div>
  )
}

/** Beside the calls on wide screens, a closed list above them on narrow ones. */
function Contents({ calls, hasObjects }: { calls: readonly ShownCall[]; hasObjects: boolean }) {
  const lines = (
    <ul className="grid text-dense">
      {calls.map(({ anchor, method, path }) => (
        <li key={anchor}>
          <a href={`#${anchor}`} className={clsx(WAY, 'w-full flex-wrap gap-x-2 py-1')}>
            <MethodBadge method={method} />
            <span className="wrap-anywhere font-mono">{path.replace('/api', '')}</span>
          </a>
        </li>
      ))}
      {hasObjects ? (
        <li>
          <a href="#objects" className={clsx(WAY, 'text-label')}>
            Objects
          </a>
        </li>
      ) : null}
    </ul>
  )
  return (
    <nav aria-label="On this page" className="print:hidden">
      <details className="lg:hidden">
        <summary className={clsx(WAY, 'font-medium text-accent text-label')}>On this page ({calls.length})</summary>
        {lines}
      </details>
      <div className="hidden lg:sticky lg:top-6 lg:block lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto">{lines}</div>
    </nav>
  )
}

const WAY = 'inline-flex min-h-11 items-center underline-offset-4 hover:underline'

function General({ part }: { part: Exclude<ReferencePart, { kind: 'subject' }> }) {
  switch (part.kind) {
    case 'general':
      return (
        <CardSection id="general" title="Every call">
          <div className="grid max-w-prose gap-3 text-label">
            {GENERAL_TEXTS.map((text) => (
              <p key={text}>
                <Words text={text} />
              </p>
            ))}
          </div>
        </CardSection>
      )
    case 'forward':
      return <Forward {...part.forward} />
    case 'other-addresses':
      return <OtherAddresses />
  }
}

function Forward({ says, headers, example }: ReferenceView['forward']) {
  const rows = headers.map((header) => ({ ...header, type: 'header', refersTo: null, required: true }))
  return (
    <CardSection id="forward-card" title="Request to your address">
      <div className="grid gap-3 text-label">
        {says.map((text) => (
          <p key={text} className="max-w-prose">
            <Words text={text} />
          </p>
        ))}
        <FieldRows label="Headers" rows={rows} mark="" />
        <CodeBlock label="Example body" text={example} />
      </div>
    </CardSection>
  )
}

function OtherAddresses() {
  return (
    <CardSection id="other-addresses-card" title="Addresses without JSON">
      <dl className="divide-y divide-line text-label">
        {OTHER_ADDRESSES.map(({ address, says }) => (
          <div key={address} className="py-2">
            <dt className="wrap-anywhere font-mono text-dense font-semibold">{address}</dt>
            <dd className="text-ink-soft">
              <Words text={says} />
            </dd>
          </div>
        ))}
      </dl>
    </CardSection>
  )
}
