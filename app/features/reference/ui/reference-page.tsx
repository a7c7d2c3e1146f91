import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { buttonStyles } from '#app/ui/button.tsx'
import { CardSection, cardStyles } from '#app/ui/card.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { GENERAL_TEXTS, OTHER_ADDRESSES } from '../reference-text.ts'
import type { ReferenceView, ShownGroup } from '../reference-view.ts'
import { CallCard, MethodBadge } from './call-card.tsx'
import { CodeBlock } from './code-block.tsx'
import { FieldRows } from './field-rows.tsx'
import { Words } from './reference-words.tsx'

export const REFERENCE_TITLE = 'API reference'

const MORE = [
  { anchor: 'forward', name: 'What is sent to your address' },
  { anchor: 'things', name: 'Things that answers are made of' },
  { anchor: 'other-addresses', name: 'Other addresses' },
] as const

/** Every call, readable without scripts. */
export function ReferencePage({ groups, types, forward }: ReferenceView) {
  return (
    <div className="printed-whole">
      <PageHeader
        title={REFERENCE_TITLE}
        overline={null}
        summary={
          <p className="max-w-prose text-ink-soft">
            Every call of Fieldhook, made from the schemas that the calls are read with.
          </p>
        }
        actions={
          <a href="/api/openapi.json" className={buttonStyles()}>
            <Download aria-hidden className="size-4" />
            OpenAPI 3.1
          </a>
        }
      />
      <div className="grid gap-6 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-8">
        <Contents groups={groups} />
        <div className="grid min-w-0 gap-8">
          <CardSection id="general" title="Before you call">
            <div className="grid max-w-prose gap-3 text-label">
              {GENERAL_TEXTS.map((text) => (
                <p key={text}>
                  <Words text={text} />
                </p>
              ))}
            </div>
          </CardSection>
          {groups.map((group) => (
            <section
              key={group.anchor}
              id={group.anchor}
              aria-labelledby={`${group.anchor}-title`}
              className="scroll-mt-6"
            >
              <h2 id={`${group.anchor}-title`} className="text-title font-semibold">
                {group.name}
              </h2>
              <p className="mb-3 text-ink-soft">{group.says}</p>
              <div className="grid gap-4">
                {group.calls.map((call) => (
                  <CallCard key={call.anchor} call={call} />
                ))}
              </div>
            </section>
          ))}
          <Forward {...forward} />
          <section id="things" aria-labelledby="things-title" className="scroll-mt-6">
            <h2 id="things-title" className="mb-3 text-title font-semibold">
              Things that answers are made of
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
          <OtherAddresses />
        </div>
      </div>
      <script src="/copy-code.js" defer />
    </div>
  )
}

/** Beside the calls on wide screens, above them on narrow ones. */
function Contents({ groups }: { groups: readonly ShownGroup[] }) {
  const way = 'inline-flex min-h-11 items-center underline-offset-4 hover:underline'
  return (
    <nav
      aria-label="Contents"
      className="lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:self-start lg:overflow-y-auto print:hidden"
    >
      <ul className="grid text-label">
        {groups.map(({ anchor, name, calls }) => (
          <li key={anchor}>
            <details className="group/details">
              <summary className={clsx(way, 'w-full list-none justify-between gap-2 font-medium text-accent')}>
                {name}
                <span className="text-dense text-ink-soft tabular-nums">{calls.length}</span>
              </summary>
              <ul className="mb-2 border-line border-l pl-3">
                <li>
                  <a href={`#${anchor}`} className={clsx(way, 'text-ink-soft')}>
                    All of {name}
                  </a>
                </li>
                {calls.map((call) => (
                  <li key={call.anchor}>
                    <a href={`#${call.anchor}`} className={clsx(way, 'w-full flex-wrap gap-x-2 py-1 text-dense')}>
                      <MethodBadge method={call.method} />
                      <span className="wrap-anywhere font-mono">{call.path.replace('/api', '')}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          </li>
        ))}
        {MORE.map(({ anchor, name }) => (
          <li key={anchor}>
            <a href={`#${anchor}`} className={clsx(way, 'font-medium text-accent')}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Forward({ says, headers, example }: ReferenceView['forward']) {
  const rows = headers.map((header) => ({ ...header, type: 'header', refersTo: null, required: true }))
  return (
    <div id="forward" className="scroll-mt-6">
      <CardSection id="forward-card" title="What is sent to your address">
        <div className="grid gap-3 text-label">
          {says.map((text) => (
            <p key={text} className="max-w-prose">
              <Words text={text} />
            </p>
          ))}
          <FieldRows label="Headers of what is sent" rows={rows} mark="" />
          <CodeBlock label="The body, for example" text={example} />
        </div>
      </CardSection>
    </div>
  )
}

function OtherAddresses() {
  return (
    <div id="other-addresses" className="scroll-mt-6">
      <CardSection id="other-addresses-card" title="Other addresses">
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
    </div>
  )
}
