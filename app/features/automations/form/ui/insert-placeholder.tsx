import { Braces } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '#app/ui/button.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { useRuleForm } from './form-context.tsx'

async function loadPicker() {
  return (await import('./placeholder-picker.tsx')).PlaceholderPicker
}

interface InsertPlaceholderProps {
  /** Name and label of the control to insert into. */
  name: string
  into: string
  onChoose: (written: string) => void
}

/** Opens the placeholder list below a text, and inserts the chosen one at the caret. */
export function InsertPlaceholder({ name, into, onChoose }: InsertPlaceholderProps) {
  const { state } = useRuleForm()
  const [open, setOpen] = useState(false)
  const { part: Picker } = useOnDemand(loadPicker, open)
  const id = useId()
  return (
    <div>
      <Button
        variant="quiet"
        icon={Braces}
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Insert a placeholder into ${into}`}
        onClick={() => setOpen(!open)}
      >
        Insert placeholder
      </Button>
      <div id={id}>
        {open && Picker ? (
          <Picker
            state={state}
            into={name}
            onChoose={(written) => {
              setOpen(false)
              onChoose(written)
            }}
            onClose={() => setOpen(false)}
          />
        ) : null}
      </div>
    </div>
  )
}
