import { typeAnchor } from '../reference-text.ts'
import type { FieldRow } from '../schema-text.ts'
import { Words } from './reference-words.tsx'

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
export function FieldRows({ label, rows, mark = 'required' }: FieldRowsProps) {
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
export function TypeName({ type, refersTo }: Pick<FieldRow, 'type' | 'refersTo'>) {
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
