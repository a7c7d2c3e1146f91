import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** Props that `Field` provides: spread them on the one control inside it. */
interface ControlProps {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** What every field has, whatever its control is. */
export interface Labelled {
  id: string
  label: ReactNode
  hint?: ReactNode
  errors?: string[] | undefined
}

interface FieldProps extends Labelled {
  children: (control: ControlProps) => ReactNode
}

/** Label, hint, control and error of one field. Every form control uses it. */
export function Field({ id, label, hint, errors, children }: FieldProps) {
  const wrong = errors !== undefined && errors.length > 0
  const described = [hint ? `${id}-hint` : '', wrong ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <label htmlFor={id} className="text-label font-medium">
        {label}
      </label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(wrong ? { 'aria-invalid': true as const } : {}),
      })}
      {wrong ? <FieldError id={`${id}-error`} errors={errors} /> : null}
      {hint ? (
        <p id={`${id}-hint`} className="text-dense text-ink-soft">
          {hint}
        </p>
      ) : null}
    </div>
  )
}

export function FieldError({ id, errors }: { id: string; errors: string[] }) {
  return (
    <div id={id} data-error className="flex items-start gap-1.5 text-label text-failing">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>{errors.join(' ')}</span>
    </div>
  )
}
