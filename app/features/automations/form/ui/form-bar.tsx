// The bar at the foot of the form: what the rule would do, what is not saved yet, and the button that saves it.
import { Eye, Undo2 } from 'lucide-react'
import { Button } from '#app/ui/button.tsx'
import type { Peek } from '../form-preview.ts'
import { partsShown } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import { IntentButton } from './form-controls.tsx'
import type { Unsaved } from './use-editing.tsx'

interface FormBarProps {
  /** What the preview says, in two short lines; null = nothing yet. */
  peek: Peek | null
  unsaved: Unsaved
  /** Brings back what was discarded; null = nothing was. */
  onUndo: (() => void) | null
  saving: boolean
}

const WORDS: Readonly<Record<Unsaved, string>> = {
  none: '',
  new: 'Not saved yet',
  changed: 'Changes not saved',
  stale: 'Changed elsewhere too. Saving replaces it.',
}

/** Stays at the foot of the screen while the form reaches below it. */
export function FormBar({ peek, unsaved, onUndo, saving }: FormBarProps) {
  const { state } = useRuleForm()
  const shown = partsShown(state)
  const words = unsaved === 'none' ? (onUndo ? 'Discarded' : '') : WORDS[unsaved]
  if (!shown.rest && words === '') return null
  const isNew = state.ruleId === null
  return (
    <div className="-mx-4 sm:-mx-5 -mb-4 sm:-mb-5 sticky bottom-0 z-10 flex min-h-14 items-center gap-2 rounded-b-card border-line border-t bg-surface px-4 py-1.5 sm:px-5">
      {shown.rest ? <PeekLink peek={peek} /> : null}
      <p role="status" className="min-w-0 flex-1 text-dense text-ink-soft max-lg:sr-only">
        {words}
      </p>
      {unsaved === 'none' ? null : <Discard />}
      {unsaved === 'none' && onUndo ? (
        <Button variant="quiet" onClick={onUndo}>
          Undo
        </Button>
      ) : null}
      {shown.submit ? (
        <Button
          type="submit"
          name="intent"
          value="form.save"
          variant="primary"
          pending={saving}
          pendingLabel={isNew ? 'Creating…' : 'Saving…'}
        >
          <span>
            {isNew ? 'Create' : 'Update'}
            <span className="max-sm:sr-only"> Automation</span>
          </span>
        </Button>
      ) : null}
    </div>
  )
}

function Discard() {
  return (
    <IntentButton intent="form.discard" variant="quiet" className="max-sm:w-11 max-sm:px-0" aria-label="Discard">
      <Undo2 aria-hidden className="size-4 sm:hidden" />
      <span className="max-sm:hidden">Discard</span>
    </IntentButton>
  )
}

/** Where the preview is not beside the form: the form opens it; without scripts the browser goes there. */
function PeekLink({ peek }: Pick<FormBarProps, 'peek'>) {
  return (
    <a
      href="#live-preview-title"
      data-peek
      className="flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-control text-dense lg:hidden"
    >
      <Eye aria-hidden className="size-4 shrink-0 text-accent" />
      {peek ? (
        <span className="min-w-0">
          <span className="block truncate">{peek.about}</span>
          <span className="block truncate font-medium">{peek.does}</span>
        </span>
      ) : (
        <span className="font-medium text-accent">Preview</span>
      )}
    </a>
  )
}
