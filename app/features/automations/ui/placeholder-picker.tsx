import { useState } from 'react'
import { Field } from '#app/ui/field.tsx'
import { TextInput } from '#app/ui/text-input.tsx'
import type { TokenChoice } from '../form-aids.ts'
import { matchingChoices } from '../placeholder-search.ts'

interface PlaceholderPickerProps {
  choices: readonly TokenChoice[]
  /** With its braces. */
  onChoose: (written: string) => void
  onClose: () => void
}

/** Searched by its label or its name; the names themselves are small print. */
export function PlaceholderPicker({ choices, onChoose, onClose }: PlaceholderPickerProps) {
  const [wanted, setWanted] = useState('')
  const found = matchingChoices(choices, wanted)
  return (
    <div className="mt-1 grid gap-2 rounded-control border border-line bg-sunken p-3">
      <Field id="placeholder-search" label="Search placeholders" hint={`${found.length} found`}>
        {(control) => (
          <TextInput
            {...control}
            type="search"
            value={wanted}
            autoComplete="off"
            // Whoever opened the list wants to search it.
            autoFocus
            onChange={(event) => setWanted(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose()
              // Enter takes the first one; it does not send the form.
              if (event.key !== 'Enter') return
              event.preventDefault()
              const [first] = found
              if (first) onChoose(`{${first.name}}`)
            }}
          />
        )}
      </Field>
      <ul className="max-h-64 overflow-y-auto" aria-label="Placeholders">
        {found.map((choice) => (
          <li key={choice.name}>
            <button
              type="button"
              onClick={() => onChoose(`{${choice.name}}`)}
              className="flex min-h-11 w-full flex-wrap items-center justify-between gap-x-3 rounded-control px-2 text-left text-label hover:bg-surface"
            >
              <span className="font-medium">{choice.label}</span>
              <span className="wrap-anywhere font-mono text-dense text-ink-soft">{`{${choice.name}}`}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? (
        <p className="text-label text-ink-soft">Nothing is called that. Try another word.</p>
      ) : null}
    </div>
  )
}
