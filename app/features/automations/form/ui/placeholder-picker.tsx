import { useEffect, useMemo, useState } from 'react'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { friendlyName } from '../../rules/placeholders/placeholder-names.ts'
import { matchingChoices } from '../../rules/placeholders/placeholder-search.ts'
import { EMPTY_SAMPLE, type Samples } from '../form-preview.ts'
import { type FormState, objectOfForm } from '../form-state.ts'
import { type OfferedChoice, offeredIn } from '../placeholder-offer.ts'
import { askPreview } from './ask-preview.tsx'
import { type RuleFormTools, useRuleForm } from './form-context.tsx'

/** How long after the last key the result is announced, ms. */
const TYPING_ENDS = 500

interface PlaceholderPickerProps {
  state: FormState
  /** Name of the control to insert into. */
  into: string
  /** Includes the braces. */
  onChoose: (written: string) => void
  onClose: () => void
}

/** Lists placeholders, searchable by label or name; names are in small print. */
export function PlaceholderPicker({ state, into, onChoose, onClose }: PlaceholderPickerProps) {
  const [wanted, setWanted] = useState('')
  const choices = useMemo(() => offeredIn(state, into), [state, into])
  const found = matchingChoices(choices, wanted)
  const written = (choice: OfferedChoice) => `{${friendlyName(choice.name, objectOfForm(state))}${choice.format}}`
  const { samples, message } = useSamples()
  const announce = useAnnounce()
  const outcome = found.length === 0 ? 'No placeholder has that name. Try another word.' : `${found.length} found`
  useEffect(() => {
    if (wanted === '') return
    const timer = setTimeout(() => announce(outcome), TYPING_ENDS)
    return () => clearTimeout(timer)
  }, [wanted, outcome, announce])
  const choose = (choice: OfferedChoice) => {
    onChoose(written(choice))
    announce(`${written(choice)} inserted.`)
  }
  return (
    <div className="mt-1 grid gap-2 rounded-control border border-line bg-sunken p-3">
      <Field id="placeholder-search" label="Search placeholders" hint={outcome}>
        {(control) => (
          <TextInput
            {...control}
            type="search"
            value={wanted}
            autoComplete="off"
            // Focus the search field as soon as the list opens.
            autoFocus
            onChange={(event) => setWanted(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose()
              // Enter picks the first match and does not submit the form.
              if (event.key !== 'Enter') return
              event.preventDefault()
              const [first] = found
              if (first) choose(first)
            }}
          />
        )}
      </Field>
      <p className="wrap-anywhere text-dense text-ink-soft" aria-live="polite">
        {samples ? `With the values of ${samples.about}.` : (message ?? 'Looking up the values of a real record…')}
      </p>
      <ul className="max-h-64 overflow-y-auto" aria-label="Placeholders">
        {found.map((choice) => (
          <li key={`${choice.name}${choice.format}`}>
            <button
              type="button"
              onClick={() => choose(choice)}
              className="flex min-h-11 w-full flex-wrap items-center justify-between gap-x-3 rounded-control px-2 py-1 text-left text-label hover:bg-surface"
            >
              <span className="min-w-0">
                <span className="block font-medium">{choice.label}</span>
                <span className="wrap-anywhere block text-ink-soft">
                  <Sample samples={samples} choice={choice} />
                </span>
              </span>
              <span className="wrap-anywhere font-mono text-dense text-ink-soft">{written(choice)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The placeholder's value in the record, and a note if it may be empty in others. */
function Sample({ samples, choice }: { samples: Samples | null; choice: OfferedChoice }) {
  const name = `${choice.name}${choice.format}`
  const value = samples && Object.hasOwn(samples.values, name) ? (samples.values[name] ?? '') : null
  const shown = samples === null ? '' : value === null ? 'Known when it runs' : value === '' ? EMPTY_SAMPLE : value
  return (
    <>
      {shown}
      {choice.mayBeEmpty ? <span className="text-attention">{shown === '' ? '' : ' · '}may be empty</span> : null}
    </>
  )
}

/** `message` = why there are no samples; both null = still loading. */
interface SamplesShown {
  samples: Samples | null
  message: string | null
}

/** ms */
const FRESH_FOR = 60_000
let last: { key: string; at: number; answer: Promise<SamplesShown> } | null = null

function useSamples(): SamplesShown {
  const { state, accountUUID, example } = useRuleForm()
  const [shown, setShown] = useState<SamplesShown>({ samples: null, message: null })
  useEffect(() => {
    let current = true
    void samplesOf({ state, accountUUID, example }).then((found) => {
      if (current) setShown(found)
    })
    return () => {
      current = false
    }
  }, [state, accountUUID, example])
  return shown
}

function samplesOf({
  state,
  accountUUID,
  example,
}: Pick<RuleFormTools, 'state' | 'accountUUID' | 'example'>): Promise<SamplesShown> {
  const { triggerSource, events, apiEndpoint } = state.values
  const key = JSON.stringify([accountUUID, example, triggerSource, events, apiEndpoint])
  const now = performance.now()
  if (last && last.key === key && now - last.at < FRESH_FOR) return last.answer
  const answer = askPreview({ accountUUID, state, preview: 'samples', record: example }).then((found): SamplesShown => {
    if (found.kind === 'samples') return { samples: found, message: null }
    // Do not cache failures.
    last = null
    return { samples: null, message: found.kind === 'trouble' ? found.message : null }
  })
  last = { key, at: now, answer }
  return answer
}
