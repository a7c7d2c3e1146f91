import { clsx } from 'clsx'
import { ArrowRight, Copy, Gauge, Key, ListTree, LockKeyhole, LockKeyholeOpen, ShieldUser } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Method } from '#app/contract/operation.ts'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { buttonStyles } from '#app/ui/button.tsx'
import { CardSection, cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import type { ReferencePart } from '../reference-pages.ts'
import { GENERAL_TITLES, REFERENCE_PATH } from '../reference-places.ts'
import { GENERAL_TEXTS, OTHER_ADDRESSES, typeAnchor, WHO_SHORT, WHO_TEXTS } from '../reference-text.ts'
import type { ReferenceView, ShownAnswer, ShownCall } from '../reference-view.ts'
import type { FieldRow } from '../schema-text.ts'
import { OpenApiLink } from './reference-index.tsx'

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
            <span className="wrap-anywhere font-mono">
              {path
                .split(/(?=\/)/)
                .slice(1)
                .map((part) => [<wbr key={part} />, part])}
            </span>
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

const METHOD_TONE: Readonly<Record<Method, Tone>> = {
  GET: 'accent',
  POST: 'working',
  PUT: 'attention',
  DELETE: 'failing',
}

const WHO_ICON = { session: LockKeyhole, admin: ShieldUser, key: Key, anyone: LockKeyholeOpen } as const

function MethodBadge({ method }: { method: Method }) {
  return (
    <Badge tone={METHOD_TONE[method]} className="font-mono">
      {method}
    </Badge>
  )
}

function CallCard({ call }: { call: ShownCall }) {
  const { anchor, method, path, summary, description, who, limit, parameters, body, answers, refusals, curl } = call
  const heading = `${anchor}-heading`
  return (
    <article id={anchor} aria-labelledby={heading} className={clsx(cardStyles, 'grid scroll-mt-6 gap-4 p-4 sm:p-5')}>
      <header className="grid gap-2">
        <h3 id={heading} className="font-semibold">
          <a href={`#${anchor}`} className="underline-offset-4 hover:underline">
            <Words text={summary} />
          </a>
        </h3>
        <p className="flex flex-wrap items-center gap-2">
          <MethodBadge method={method} />
          <code className="wrap-anywhere font-mono text-label">{path}</code>
        </p>
        <p className="flex flex-wrap items-center gap-2">
          <Badge icon={WHO_ICON[who]}>{WHO_SHORT[who]}</Badge>
          {limit === null ? null : <Badge icon={Gauge}>{limit}</Badge>}
          <span className="text-dense text-ink-soft">
            <Words text={`${WHO_TEXTS[who]}.`} />
          </span>
        </p>
      </header>
      {description.map((text) => (
        <p key={text} className="max-w-prose text-label">
          <Words text={text} />
        </p>
      ))}
      {parameters.length === 0 ? null : (
        <Part title="Parameters">
          <FieldRows label={`Parameters: ${summary}`} rows={parameters} />
        </Part>
      )}
      {body === null ? null : (
        <Part title="Request">
          <FieldRows label={`Request: ${summary}`} rows={body} />
        </Part>
      )}
      <Part title="Response">
        <div className="grid gap-3">
          {answers.map((answer) => (
            <Answer key={answer.status} answer={answer} summary={summary} />
          ))}
        </div>
      </Part>
      <Disclosure summary="Errors" dense>
        <dl className="grid gap-1 text-label">
          {refusals.map(({ status, says }) => (
            <div key={status} className="flex gap-3">
              <dt className="w-10 shrink-0 font-mono tabular-nums">{status}</dt>
              <dd className="text-ink-soft">
                <Words text={says} />
              </dd>
            </div>
          ))}
        </dl>
      </Disclosure>
      <CodeBlock label="Example" text={curl} />
    </article>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid gap-2">
      <h4 className="text-label font-semibold">{title}</h4>
      {children}
    </div>
  )
}

function Answer({ answer, summary }: { answer: ShownAnswer; summary: string }) {
  const { status, says, type, refersTo, rows, example } = answer
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap items-center gap-2 text-label">
        <Badge tone="working" className="font-mono">
          {status}
        </Badge>
        <span>
          <Words text={says} />
        </span>
      </p>
      <p className="wrap-anywhere text-dense text-ink-soft [&_a]:font-medium [&_a]:text-accent [&_a]:underline [&_a]:underline-offset-4">
        <TypeName type={type} refersTo={refersTo} />
      </p>
      <FieldRows label={`${status}: ${summary}`} rows={rows} mark="" />
      <Disclosure summary="Example" dense>
        <CodeBlock label={`${status}, example`} text={example} bare />
      </Disclosure>
    </div>
  )
}

/** A text to copy; `bare` = no button. public/copy-code.js handles the button: the page has no other script. */
function CodeBlock({ label, text, bare = false }: { label: string; text: string; bare?: boolean }) {
  return (
    <figure className="grid min-w-0 gap-1">
      <figcaption className="flex items-center justify-between gap-2 text-dense text-ink-soft">
        {label}
        {bare ? null : (
          <span className="needs-script">
            <button type="button" data-copy className={buttonStyles({ variant: 'quiet', className: 'px-3' })}>
              <Copy aria-hidden className="size-4 shrink-0" />
              <span data-copy-label>Copy</span>
            </button>
          </span>
        )}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-control border border-line bg-sunken p-3 print:max-h-none"
      >
        <code className="font-mono text-dense">{text}</code>
      </pre>
    </figure>
  )
}

interface FieldRowsProps {
  /** The table's subject, for screen readers. */
  label: string
  rows: readonly (FieldRow & { where?: string })[]
  /** The text of the mark for required fields. */
  mark?: string
}

/** Styles are set once on the table: there are more than a thousand rows. */
const LOOK = [
  'block w-full text-left text-label sm:table',
  '[&_tbody]:block [&_tbody]:divide-y [&_tbody]:divide-line [&_tbody]:border-line [&_tbody]:border-y',
  '[&_tr]:block [&_tr]:py-2 [&_th]:block [&_th]:pr-4 [&_th]:font-normal [&_td]:block',
  'sm:[&_tbody]:table-row-group sm:[&_tr]:table-row',
  'sm:[&_th]:table-cell sm:[&_th]:w-2/5 sm:[&_th]:py-2 sm:[&_th]:align-top sm:[&_td]:table-cell sm:[&_td]:py-2',
  '[&_p]:wrap-anywhere [&_b]:wrap-anywhere [&_b]:font-mono [&_b]:font-semibold [&_b]:text-dense',
  '[&_th_i]:ml-2 [&_th_i]:text-dense [&_th_i]:text-ink-soft [&_th_i]:not-italic',
  '[&_td_i]:block [&_td_i]:wrap-anywhere [&_td_i]:text-dense [&_td_i]:text-ink-soft [&_td_i]:not-italic',
  '[&_a]:font-medium [&_a]:text-accent [&_a]:underline [&_a]:underline-offset-4',
].join(' ')

/** Fields with their types: a table from 640 px up, a list below. */
function FieldRows({ label, rows, mark = 'required' }: FieldRowsProps) {
  if (rows.length === 0) return null
  return (
    <table aria-label={label} className={LOOK}>
      <thead className="sr-only">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              <b>{row.name}</b>
              {row.required && mark ? <i>{mark}</i> : null}
              {row.where ? <i>{row.where}</i> : null}
            </th>
            <td>
              <i>
                <TypeName type={row.type} refersTo={row.refersTo} />
              </i>
              {row.says === '' ? null : (
                <p>
                  <Words text={row.says} />
                </p>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** `list of Webhook`, where the name links to the type. */
function TypeName({ type, refersTo }: Pick<FieldRow, 'type' | 'refersTo'>) {
  if (refersTo === null) return <>{type}</>
  const [before = '', after = ''] = type.split(refersTo)
  return (
    <>
      {before}
      <a href={`#${typeAnchor(refersTo)}`}>{refersTo}</a>
      {after}
    </>
  )
}

/** A sentence with `code` in backticks and **strong words**. */
function Words({ text }: { text: string }) {
  return <>{text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(pieceOf)}</>
}

function pieceOf(piece: string, index: number): ReactNode {
  if (piece.startsWith('`') && piece.length > 2) {
    return (
      <code key={index} className="wrap-anywhere rounded-control bg-sunken px-1 py-0.5 font-mono text-dense">
        {piece.slice(1, -1)}
      </code>
    )
  }
  return piece.startsWith('**') ? <strong key={index}>{piece.slice(2, -2)}</strong> : piece
}
