// The stage's own small design system: every page is built from these parts, styled by `console.css`.
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { localText } from '../servicem8/local-time.ts'
import { placeOf, type Tone, wallWords } from './words.ts'

const ICONS: Record<Tone, LucideIcon> = {
  neutral: CircleDashed,
  accent: CircleDot,
  working: CircleCheck,
  attention: TriangleAlert,
  failing: CircleAlert,
  held: CirclePause,
}

/** A state: always a word and an icon. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = ICONS[tone]
  return (
    <span className={`badge ${tone}`}>
      <Icon aria-hidden size={14} />
      {children}
    </span>
  )
}

interface CardProps {
  id: string
  title: ReactNode
  /** A sentence under the heading. */
  about?: ReactNode
  /** `article` for one of many similar parts, which would crowd the list of landmarks. Default `section`. */
  part?: 'section' | 'article'
  className?: string
  children: ReactNode
}

/** A region of the page, named by its heading. */
export function Card({ id, title, about, part: Part = 'section', className, children }: CardProps) {
  return (
    <Part id={id} aria-labelledby={`${id}-title`} className={className ? `card ${className}` : 'card'}>
      <h2 id={`${id}-title`}>{title}</h2>
      {about ? <p className="about">{about}</p> : null}
      {children}
    </Part>
  )
}

/** Says what will appear, why nothing is there, and the next step. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>
}

/** A text to take along: one press selects all of it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <span className="copyable">
      <span className="hidden">{label}: </span>
      <code>{text}</code>
    </span>
  )
}

/** What came or went, word for word. `whole`: one press selects all of it. */
export function Code({ text, whole = false }: { text: string; whole?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0} className={whole ? 'select' : undefined}>
      {text}
    </pre>
  )
}

interface FormProps {
  /** Below `/sandbox/console/`. */
  to: string
  /** The page to come back to. */
  back: string
  className?: string
  /** Where the answer is shown: a new tab with `_blank`. */
  target?: string
  label?: string
  children: ReactNode
}

export function Form({ to, back, className = 'stack', target, label, children }: FormProps) {
  return (
    <form method="post" action={`/sandbox/console/${to}`} className={className} target={target} aria-label={label}>
      <input type="hidden" name="back" value={back} />
      {children}
    </form>
  )
}

interface FieldProps {
  /** Unique on the page. */
  id: string
  label: string
  hint?: ReactNode
  children: ReactNode
}

/** A control under its label; the control carries `id` and, with a hint, `aria-describedby={`${id}-hint`}`. */
function Field({ id, label, hint, children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}

interface TextFieldProps {
  id: string
  name: string
  label: string
  value?: string | number
  hint?: ReactNode
  type?: 'text' | 'email' | 'number' | 'search' | 'tel'
  step?: string
  min?: number
  max?: number
  maxLength?: number
  required?: boolean
  rows?: number
}

export function TextField({ id, name, label, value, hint, type = 'text', rows, ...rest }: TextFieldProps) {
  const described = hint ? `${id}-hint` : undefined
  const common = { id, name, defaultValue: value, 'aria-describedby': described, autoComplete: 'off' }
  const { step, min, max, ...both } = rest
  return (
    <Field id={id} label={label} hint={hint}>
      {rows ? (
        <textarea {...common} {...both} rows={rows} />
      ) : (
        <input {...common} {...both} type={type} step={step} min={min} max={max} />
      )}
    </Field>
  )
}

interface ChoiceProps {
  id: string
  name: string
  label: string
  value?: string
  hint?: ReactNode
  options: readonly (readonly [value: string, words: string])[]
}

export function Choice({ id, name, label, value, hint, options }: ChoiceProps) {
  return (
    <Field id={id} label={label} hint={hint}>
      <select id={id} name={name} defaultValue={value} aria-describedby={hint ? `${id}-hint` : undefined}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface TickProps {
  id: string
  name: string
  label: string
  hint?: string
  checked: boolean
}

export function Tick({ id, name, label, hint, checked }: TickProps) {
  return (
    <div className="tick">
      <input
        type="checkbox"
        id={id}
        name={name}
        value="1"
        defaultChecked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** A time in an account's zone; the exact timestamp on hover. `begin`: the time starts the sentence. */
export function At({ at, zone, now, begin }: { at: Millis; zone: string; now: Millis; begin?: boolean }) {
  const text = localText(at, zone)
  return (
    <time className={begin ? 'begin' : undefined} dateTime={new Date(at).toISOString()} title={`${text} ${zone}`}>
      {secondsOf(wallWords(text, localText(now, zone)), text)}
    </time>
  )
}

/** Events happen within a second, so their times show seconds. */
function secondsOf(words: string, text: string): string {
  return `${words}:${text.slice(17, 19)}`
}

/** The same time in every zone of the accounts involved. */
export function AtPlaces({ at, zones, now }: { at: Millis; zones: readonly string[]; now: Millis }) {
  const places = zones.length > 0 ? zones : ['UTC']
  return (
    <>
      {places.map((zone, index) => (
        <span key={zone}>
          {index > 0 ? ' · ' : ''}
          <At at={at} zone={zone} now={now} begin={index === 0} /> {placeOf(zone)}
        </span>
      ))}
    </>
  )
}

/** A table that becomes cards on a phone: there, each value is preceded by its `label`. */
export function Table({ caption, heads, rows }: { caption: string; heads: readonly string[]; rows: readonly Row[] }) {
  return (
    // Explicit roles, because a table displayed as cards loses its roles in some browsers.
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <table role="table">
      <caption className="hidden">{caption}</caption>
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
        <tr role="row">
          {heads.map((head) => (
            // biome-ignore lint/a11y/noRedundantRoles: as above
            <th key={head} scope="col" role="columnheader">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <tbody role="rowgroup">
        {rows.map((row) => (
          // biome-ignore lint/a11y/noRedundantRoles: as above
          <tr key={row.key} role="row">
            {row.cells.map((cell, index) => (
              // biome-ignore lint/a11y/noRedundantRoles: as above
              <td key={heads[index]} role="cell" data-label={heads[index]}>
                <div>{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface Row {
  key: string | number
  cells: readonly ReactNode[]
}
