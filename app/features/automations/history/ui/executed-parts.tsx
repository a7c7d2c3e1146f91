import { Disclosure } from '#app/ui/disclosure.tsx'
import type { ExecutedView, MatchedView, NamedText } from '../executed-view.ts'

/** The parameters of one step, and the values of its placeholders. */
export function ExecutedParts({ executed: { parameters, replacements } }: { executed: ExecutedView }) {
  return (
    <>
      <Texts title="Parameters" texts={parameters} open={false} />
      {replacements.length === 0 ? null : (
        <Disclosure dense summary="Replacements">
          <ul className="grid gap-2 rounded-control bg-sunken p-3 text-dense">
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
        </Disclosure>
      )}
    </>
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

/** Named texts in a collapsible section; nothing when there are none. */
export function Texts({ title, texts, open }: { title: string; texts: readonly NamedText[]; open: boolean }) {
  if (texts.length === 0) return null
  return (
    <Disclosure dense summary={title} open={open}>
      <dl className="grid gap-2 rounded-control bg-sunken p-3">
        {texts.map(({ name, text }) => (
          <div key={name} className="grid gap-0.5">
            <dt className="text-dense text-ink-soft">{name}</dt>
            <dd className="wrap-anywhere max-h-60 overflow-y-auto whitespace-pre-wrap text-dense">{text}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  )
}
