import { clsx } from 'clsx'
import { Braces } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { useRuleForm } from './form-context.tsx'

const loadPicker = async () => (await import('./placeholder-picker.tsx')).PlaceholderPicker

interface InsertPlaceholderProps {
  /** Name and label of the control to insert into. */
  name: string
  into: string
  onChoose: (written: string) => void
  counter?: ReactNode
  /** A box of several lines: the button stands in its corner. */
  long: boolean
  /** The box. */
  children: ReactNode
}

/** A text box with a button in its corner: it opens the list of placeholders, and inserts one at the caret. */
export function InsertPlaceholder({ name, into, onChoose, counter, long, children }: InsertPlaceholderProps) {
  const { state, alive } = useRuleForm()
  const [open, setOpen] = useState(false)
  const { part: Picker } = useOnDemand(loadPicker, open)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  /** The focus goes back to where the list was opened. */
  const close = () => {
    button.current?.focus()
    setOpen(false)
  }
  return (
    <div className="min-w-0">
      <div className={clsx('group/box relative', alive && !long && '[&>input]:pr-12')}>
        {children}
        {alive ? (
          <button
            ref={button}
            type="button"
            aria-expanded={open}
            aria-controls={id}
            aria-label={`Insert a placeholder into ${into}`}
            title="Insert placeholder"
            // Where the browser does not focus a pressed button, the box would lose the focus, and the button its place.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => (open ? close() : setOpen(true))}
            className={clsx(
              'absolute bottom-0 inline-flex h-11 items-center gap-1.5 rounded-control px-3 font-medium text-accent text-dense hover:bg-accent-soft',
              // A short box shows it while it is worked in.
              long
                ? 'left-0'
                : 'invisible right-0 aria-expanded:visible group-focus-within/box:visible group-hover/box:visible',
            )}
          >
            <Braces aria-hidden className="size-4" />
            {long ? <span className={clsx(counter && 'max-sm:sr-only')}>Insert placeholder</span> : null}
          </button>
        ) : null}
        {counter ? (
          <span className="pointer-events-none absolute right-3 bottom-2.5 text-dense text-ink-soft">{counter}</span>
        ) : null}
      </div>
      <div id={id}>
        {open && Picker ? (
          <Picker
            state={state}
            into={name}
            onChoose={(written) => {
              setOpen(false)
              onChoose(written)
            }}
            onClose={close}
          />
        ) : null}
      </div>
    </div>
  )
}
