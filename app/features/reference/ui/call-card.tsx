import { clsx } from 'clsx'
import { Gauge, Key, LockKeyhole, LockKeyholeOpen, ShieldUser } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Method, Who } from '#app/contract/operation.ts'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { WHO_SHORT, WHO_TEXTS } from '../reference-text.ts'
import type { ShownAnswer, ShownCall } from '../reference-view.ts'
import { CodeBlock } from './code-block.tsx'
import { FieldRows, TypeName } from './field-rows.tsx'
import { Words } from './reference-words.tsx'

const METHOD_TONE: Readonly<Record<Method, Tone>> = {
  GET: 'accent',
  POST: 'working',
  PUT: 'attention',
  DELETE: 'failing',
}

const WHO_ICON = { session: LockKeyhole, admin: ShieldUser, key: Key, anyone: LockKeyholeOpen } as const

export function MethodBadge({ method }: { method: Method }) {
  return (
    <Badge tone={METHOD_TONE[method]} className="font-mono">
      {method}
    </Badge>
  )
}

function WhoBadge({ who }: { who: Who }) {
  return <Badge icon={WHO_ICON[who]}>{WHO_SHORT[who]}</Badge>
}

export function CallCard({ call }: { call: ShownCall }) {
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
          <WhoBadge who={who} />
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
