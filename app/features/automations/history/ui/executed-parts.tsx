import { Disclosure } from '#app/ui/disclosure.tsx'
import type { ExecutedView, MatchedView, NamedText } from '../executed-view.ts'

/** The parameters of one step, and the values of its placeholders, each behind a closer. */
export function ExecutedParts({ executed: { parameters, replacements } }: { executed: ExecutedView }) {
  return (
    <>
      {parameters.length === 0 ? null : (
        <Disclosure dense summary="Parameters">
          <div className="rounded-control bg-sunken p-3">
            <TextList texts={parameters} />
          </div>
        </Disclosure>
      )}
      {replacements.length === 0 ? null : (
        <Disclosure dense summary="Replacements">
          <div className="rounded-control bg-sunken p-3">
            <Replacements replacements={replacements} />
          </div>
        </Disclosure>
      )}
    </>
  )
}

/** The same, in the open. */
export function ExecutedTexts({ executed: { parameters, replacements } }: { executed: ExecutedView }) {
  return (
    <>
      <TextList title="Parameters" texts={parameters} />
      {replacements.length === 0 ? null : (
        <div>
          <p className="font-semibold text-dense">Replacements</p>
          <Replacements replacements={replacements} />
        </div>
      )}
    </>
  )
}

function Replacements({ replacements }: Pick<ExecutedView, 'replacements'>) {
  return (
    <ul className="grid gap-2 text-dense">
      {replacements.map(({ written, resolved, value }) => (
        <li key={`${written}|${resolved}`} className="wrap-anywhere grid gap-0.5">
          <span className="whitespace-pre-wrap">
            <code>{written}</code> → {resolved === '' ? <span className="text-ink-soft">empty</span> : resolved}
          </span>
          {value === null ? null : (
            <span className="whitespace-pre-wrap text-ink-soft">
              {value === '' ? 'There was no value.' : `Value: ${value}`}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The records that met the conditions, and the number checked. */
export function MatchedRecords({ matched: { matched, total, records } }: { matched: MatchedView }) {
  const more = matched - records.length
  return (
    <Disclosure dense summary={`Matched records: ${matched} of ${total}`}>
      <ul className="grid gap-3 rounded-control bg-sunken p-3 text-dense">
        {records.map(({ title, facts }, index) => (
          <li key={index} className="wrap-anywhere">
            <span className="font-semibold">{title}</span>
            <dl className="grid gap-x-3 sm:grid-cols-[auto_1fr]">
              {facts.map(({ name, text }) => (
                <div key={name} className="contents">
                  <dt className="text-ink-soft">{name}</dt>
                  <dd className="min-w-0 whitespace-pre-wrap">{text}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
        {more > 0 ? <li>And {more} more.</li> : null}
      </ul>
    </Disclosure>
  )
}

/** Named texts under a title; nothing when there are none. */
export function TextList({ title, texts }: { title?: string; texts: readonly NamedText[] }) {
  if (texts.length === 0) return null
  return (
    <div>
      {title ? <p className="font-semibold text-dense">{title}</p> : null}
      <dl className="grid gap-1.5">
        {texts.map(({ name, text }) => (
          <div key={name} className="grid gap-x-3 sm:grid-cols-[9rem_minmax(0,1fr)]">
            <dt className="text-dense text-ink-soft">{name}</dt>
            <dd className="wrap-anywhere max-h-60 overflow-y-auto whitespace-pre-wrap text-dense">{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
